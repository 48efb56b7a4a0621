-- batch_members: the list, a page at a time, and what came of each.
SELECT m.n, m.item_id, i.idempotency_key, COALESCE(v.title, '') AS title, d.place, e.came_to, e.why, e.decision_id, later.id AS superseded_by,
       later.reason_code IS NOT DISTINCT FROM 'desk.undone' AS undone
  FROM batch_members m JOIN items i ON i.id = m.item_id LEFT JOIN evidence v ON v.item_id = i.id AND v.version = i.evidence_version
  LEFT JOIN batch_draws d ON d.batch_id = m.batch_id AND d.n = m.n LEFT JOIN batch_ends e ON e.batch_id = m.batch_id AND e.n = m.n
  LEFT JOIN decisions later ON later.supersedes = e.decision_id
 WHERE m.batch_id = %(batch_id)s::bigint AND m.n > %(after)s::int AND (%(came_to)s::text IS NULL OR e.came_to = %(came_to)s::text)
 ORDER BY m.n LIMIT %(limit)s::int;
