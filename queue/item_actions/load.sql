-- item_actions: one, and how far it is.
SELECT a.id, a.kind, a.what, a.why, a.filters, a.state, a.members, a.acted, a.done, a.asked_at, p.name AS asked_by, w.name AS kept_for, a.asked_by AS asker_id, proposes(a) AS blind
  FROM item_actions a JOIN people p ON p.id = a.asked_by LEFT JOIN people w ON w.id = (a.what ->> 'to')::int
 WHERE a.id = %(action_id)s::bigint;
