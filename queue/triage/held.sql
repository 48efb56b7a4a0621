-- assignments, tasks, batch_members: items that somebody holds, or let lapse, in the order of the holders, to be judged; then those that are kept for somebody, then those
-- on the lists of batch decisions under way. `list` is 0, the person, or 10^10 and the batch decision, `low` the holder, the task, or the number on the list.
SELECT w.item_id, w.place FROM (
    (SELECT a.item_id, a.person_id::text AS place, 0::bigint AS list, a.person_id::bigint AS nth FROM assignments a
      WHERE %(list)s::bigint = 0 AND a.ended_at IS NULL AND a.person_id > %(low)s::bigint
      ORDER BY a.person_id LIMIT %(limit)s::int)
    UNION ALL
    (SELECT t.item_id, t.meant_for || '~' || t.id, t.meant_for, t.id FROM tasks t
      WHERE t.meant_for IS NOT NULL AND t.state = 'held' AND t.held_for IS NULL AND t.meant_for >= %(list)s::bigint AND (t.meant_for, t.id) > (%(list)s::bigint, %(low)s::bigint)
      ORDER BY t.meant_for, t.id LIMIT %(limit)s::int)
    UNION ALL
    (SELECT m.item_id, 10000000000 + m.batch_id || '~' || m.n, 10000000000 + m.batch_id, m.n
       FROM (SELECT b.id FROM batch_decisions b WHERE b.state IN ('gathering', 'sampling', 'deciding', 'undoing', 'dropping') AND b.id >= %(list)s::bigint - 10000000000 ORDER BY b.id) b
      CROSS JOIN LATERAL (SELECT m.* FROM batch_members m WHERE m.batch_id = b.id AND (m.batch_id, m.n) > (%(list)s::bigint - 10000000000, %(low)s::bigint) ORDER BY m.n LIMIT %(limit)s::int) m
      ORDER BY m.batch_id, m.n LIMIT %(limit)s::int)) w
 ORDER BY w.list, w.nth LIMIT %(limit)s::int;
