-- assignments: items that somebody holds, or let lapse, in the order of the holders, to be judged.
SELECT a.item_id, a.person_id::text AS place FROM assignments a
 WHERE a.ended_at IS NULL AND a.person_id > %(low)s::bigint
 ORDER BY a.person_id LIMIT %(limit)s::int;
