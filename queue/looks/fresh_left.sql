-- tasks: is there work for the caller beside what they skipped? Asked after a skip, so that the next item is not the same one.
WITH me AS MATERIALIZED (SELECT id, role FROM people WHERE id = %(me)s::int),
lane AS MATERIALIZED (
    SELECT l.id, l.novice FROM me CROSS JOIN LATERAL lanes_of(me.id, me.role) l)
SELECT EXISTS (
    SELECT FROM lane CROSS JOIN LATERAL (
        SELECT FROM tasks t WHERE t.lane_id = lane.id AND t.state = 'pending' AND open_to(t, lane.novice, (SELECT clock_timestamp())) AND NOT %(me)s::int = ANY (t.closed_to) ORDER BY t.rank LIMIT 1) first) AS fresh;
