-- batch_members: the list, a page at a time, and what came of each; the page is found first, so that what ended in a rare way is not searched for in all of it.
WITH listed AS MATERIALIZED (
    (SELECT n FROM batch_members WHERE %(came_to)s::text IS NULL AND batch_id = %(batch_id)s::bigint AND n > %(after)s::int ORDER BY n LIMIT %(limit)s::int)
    UNION ALL
    (SELECT n FROM batch_ends WHERE came_to = %(came_to)s::text AND batch_id = %(batch_id)s::bigint AND n > %(after)s::int ORDER BY n LIMIT %(limit)s::int))
SELECT m.n, m.item_id, i.idempotency_key, COALESCE(v.title, '') AS title, d.place,
       COALESCE(e.came_to, CASE WHEN k.decision_id IS NOT NULL THEN 'opened' END) AS came_to, e.why, e.decision_id,
       later.id AS superseded_by, later.reason_code IS NOT DISTINCT FROM 'desk.undone' AS undone
  FROM listed l JOIN batch_members m ON m.batch_id = %(batch_id)s::bigint AND m.n = l.n
  JOIN items i ON i.id = m.item_id LEFT JOIN evidence v ON v.item_id = i.id AND v.version = i.evidence_version
  LEFT JOIN batch_draws d ON d.batch_id = m.batch_id AND d.n = m.n LEFT JOIN batch_ends e ON e.batch_id = m.batch_id AND e.n = m.n
  LEFT JOIN batch_looks k ON k.batch_id = m.batch_id AND k.n = m.n LEFT JOIN decisions later ON later.supersedes = e.decision_id
 ORDER BY m.n;
