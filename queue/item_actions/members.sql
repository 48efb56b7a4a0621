-- item_action_members: the list of one from a place on, with what became of each.
SELECT m.n, m.item_id, i.idempotency_key, COALESCE(e.title, '') AS title, x.done, x.why
  FROM item_action_members m JOIN items i ON i.id = m.item_id LEFT JOIN evidence e ON e.item_id = i.id AND e.version = i.evidence_version
  LEFT JOIN item_action_ends x ON x.action_id = m.action_id AND x.n = m.n AND x.n > %(after)s::int
 WHERE m.action_id = %(action_id)s::bigint AND m.n > %(after)s::int
 ORDER BY m.n LIMIT %(limit)s::int;
