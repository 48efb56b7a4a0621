-- batch_draws: some of the sample, in its order, each with what it came to. `held`: it is in its lead's hands.
SELECT d.place, d.n, m.item_id, i.idempotency_key, COALESCE(e.title, '') AS title, k.id AS decision_id, k.verdict, k.answer, k.reason_code,
       CASE WHEN l.n IS NULL THEN 'open' WHEN k.id IS NULL THEN 'void' ELSE 'looked' END AS state, COALESCE(l.differs, false) AS differs,
       m.task_id IS NOT DISTINCT FROM (SELECT a.task_id FROM assignments a WHERE a.person_id = b.led_by AND a.ended_at IS NULL LIMIT 1) AS held
  FROM batch_decisions b JOIN batch_draws d ON d.batch_id = b.id JOIN batch_members m ON m.batch_id = d.batch_id AND m.n = d.n
  JOIN items i ON i.id = m.item_id LEFT JOIN evidence e ON e.item_id = i.id AND e.version = i.evidence_version
  LEFT JOIN batch_looks l ON l.batch_id = d.batch_id AND l.n = d.n LEFT JOIN decisions k ON k.id = l.decision_id
 WHERE b.id = %(batch_id)s::bigint AND d.place > %(after)s::int
 ORDER BY d.place LIMIT %(limit)s::int;
