-- item_actions: one that a worker has to go on with, the one that waited longest, or the one that is asked for; nobody else does meanwhile.
SELECT a.id, a.kind, a.filters, a.looked_to, a.state, a.members
  FROM item_actions a
 WHERE a.state IN ('gathering', 'acting') AND (%(action_id)s::bigint IS NULL OR a.id = %(action_id)s::bigint) AND a.id <> ALL (%(without)s::bigint[])
 ORDER BY a.touched_at LIMIT 1 FOR NO KEY UPDATE OF a SKIP LOCKED;
