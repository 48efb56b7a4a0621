-- item_actions: those asked for so far, the newest first.
SELECT a.id, a.kind, a.what, a.why, a.filters, a.state, a.members, a.acted, a.done, a.asked_at, p.name AS asked_by, w.name AS kept_for, a.asked_by AS asker_id, proposes(a) AS blind
  FROM item_actions a JOIN people p ON p.id = a.asked_by LEFT JOIN people w ON w.id = (a.what ->> 'to')::int
 WHERE a.id < %(before)s::bigint AND (a.asked_by = %(me)s::int OR NOT proposes(a)) ORDER BY a.id DESC LIMIT %(limit)s::int;
