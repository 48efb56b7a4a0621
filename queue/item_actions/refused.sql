-- item_action_ends: what was not done of an action, from a place on.
SELECT x.n, m.item_id, i.idempotency_key, COALESCE(e.title, '') AS title, x.done, x.why
  FROM item_action_ends x JOIN item_action_members m ON m.action_id = x.action_id AND m.n = x.n JOIN items i ON i.id = m.item_id
  LEFT JOIN evidence e ON e.item_id = i.id AND e.version = i.evidence_version
 WHERE x.action_id = %(action_id)s::bigint AND NOT x.done AND x.n > %(after)s::int
 ORDER BY x.n LIMIT %(limit)s::int;
