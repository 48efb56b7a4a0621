-- items: all that people and the desk did with one, oldest first. What a look said stays hidden while its task still waits for other looks,
-- and who gave it, or proposed something, while the item waits for a second pair of eyes.
WITH eyes AS MATERIALIZED (SELECT FROM approvals a WHERE a.open_item = %(item_id)s::bigint),
look AS (
    SELECT d.*, t.kind AS task_kind, hides_looks(t) AS hidden, r.label, p.pseudonym, extract(epoch FROM d.created_at - a.claimed_at)::float8 AS seconds
      FROM decisions d JOIN tasks t ON t.id = d.task_id JOIN people p ON p.id = d.person_id
      JOIN reason_codes r ON r.project_id = d.project_id AND r.code = d.reason_code
      LEFT JOIN assignments a ON a.id = d.assignment_id
     WHERE d.item_id = %(item_id)s::bigint)
SELECT created_at AS at, CASE WHEN supersedes IS NOT NULL THEN 'overturn' WHEN assignment_id IS NULL THEN 'outcome' ELSE 'look' END AS kind,
       CASE WHEN hidden AND EXISTS (SELECT FROM eyes) THEN 'system' ELSE pseudonym END AS pseudonym, task_kind, id AS decision_id, supersedes, hidden,
       CASE WHEN NOT hidden THEN verdict END AS verdict, CASE WHEN NOT hidden THEN answer END AS answer, outcome,
       CASE WHEN NOT hidden THEN label END AS reason, CASE WHEN NOT hidden THEN note ELSE '' END AS note, seconds, evidence_version, evidence_hash
  FROM look
 UNION ALL
SELECT a.ended_at, a.end_reason, p.pseudonym, t.kind, NULL, NULL, false, NULL, NULL, NULL,
       (SELECT COALESCE(e.detail ->> 'label', e.detail ->> 'reason')
          FROM events e WHERE e.item_id = a.item_id AND e.assignment_id = a.id AND e.kind = 'assignment.' || a.end_reason ORDER BY e.id DESC LIMIT 1),
       '', extract(epoch FROM a.ended_at - a.claimed_at)::float8, a.evidence_version, a.evidence_hash
  FROM assignments a JOIN tasks t ON t.id = a.task_id JOIN people p ON p.id = a.person_id
 WHERE t.item_id = %(item_id)s::bigint AND a.end_reason <> 'submitted'
 UNION ALL
SELECT a.claimed_at, CASE WHEN a.lease_expires > clock_timestamp() THEN 'held' ELSE 'lapsed' END, p.pseudonym, t.kind, NULL, NULL, false, NULL, NULL, NULL, NULL, '',
       extract(epoch FROM clock_timestamp() - a.claimed_at)::float8, a.evidence_version, a.evidence_hash
  FROM assignments a JOIN tasks t ON t.id = a.task_id JOIN people p ON p.id = a.person_id
 WHERE t.item_id = %(item_id)s::bigint AND a.ended_at IS NULL
 UNION ALL
SELECT e.at, CASE e.kind WHEN 'task.returned' THEN 'sent_back' ELSE 'moved' END,
       CASE WHEN e.detail ->> 'because' IN ('four_eyes', 'seen_differently') AND EXISTS (SELECT FROM eyes) THEN 'system' ELSE p.pseudonym END, t.kind, NULL, NULL, false, NULL, NULL, NULL,
       CASE WHEN e.detail ->> 'because' = 'audit' AND t.ended_as IS NULL THEN 'disputed' ELSE e.detail ->> 'because' END,   -- who adjudicates is not told which it is
       COALESCE(e.detail ->> 'note', ''), NULL, t.evidence_version, NULL
  FROM events e JOIN tasks t ON t.id = e.task_id JOIN people p ON p.id = e.person_id
 WHERE e.item_id = %(item_id)s::bigint AND e.kind IN ('task.moved', 'task.returned')
 UNION ALL
SELECT e.at, 'acted', p.pseudonym, COALESCE(t.kind, ''), NULL, NULL, false, NULL, NULL, NULL, e.kind,
       concat_ws('. ', COALESCE(e.detail ->> 'queue', e.detail ->> 'priority'), NULLIF(e.detail ->> 'why', '')), NULL, COALESCE(t.evidence_version, 0), NULL
  FROM events e LEFT JOIN tasks t ON t.id = e.task_id JOIN people p ON p.id = e.person_id
 WHERE e.item_id = %(item_id)s::bigint AND e.kind IN ('item.assigned', 'item.unassigned', 'item.moved', 'item.prioritised', 'item.cancelled')
 ORDER BY at, decision_id;
