-- tasks: confirms an empty claim. Is there work for the caller that a claim in flight may have hidden? Ask again while true, at most three times.
WITH me AS MATERIALIZED (
    SELECT id, role FROM people WHERE id = %(me)s::int AND disabled_at IS NULL AND role IN ('reviewer', 'lead')),
lane AS MATERIALIZED (
    SELECT l.id, l.novice FROM me CROSS JOIN LATERAL lanes_of(me.id, me.role) l
     WHERE l.skill_id = COALESCE(%(skill_id)s::int, l.skill_id) AND l.queue = COALESCE(%(queue)s::text, l.queue))
SELECT EXISTS (SELECT FROM assignments WHERE person_id = %(me)s::int AND ended_at IS NULL)
    OR EXISTS (
    SELECT FROM lane CROSS JOIN LATERAL (
        SELECT FROM tasks t
         WHERE t.lane_id = lane.id AND t.state = 'pending' AND open_to(t, lane.novice, (SELECT clock_timestamp())) AND NOT %(me)s::int = ANY (t.seen_by || t.barred)
         ORDER BY t.rank LIMIT 1) first) AS any_left;
