-- outbox: what failed for good, oldest first; `behind` counts the effects that its partition holds back.
SELECT o.id AS outbox_id, o.state, o.decision_id, told.kind AS notice, m.name AS person, d.item_id, e.project_id, p.name AS project, e.kind, e.url, n.key AS partition_key, o.effect_no,
       CASE WHEN o.partition_id IS NULL THEN 0 ELSE n.effect_no - o.effect_no END AS behind, o.attempts, o.due, o.last_error, o.created_at
  FROM outbox o JOIN effects e ON e.id = o.effect_id JOIN projects p ON p.id = e.project_id
  LEFT JOIN decisions d ON d.id = o.decision_id LEFT JOIN notices told ON told.id = o.notice_id LEFT JOIN people m ON m.id = told.person_id
  LEFT JOIN partitions n ON n.id = o.partition_id
 WHERE o.state = 'dead' AND o.id > %(after)s::bigint
 ORDER BY o.id LIMIT %(limit)s::int;
