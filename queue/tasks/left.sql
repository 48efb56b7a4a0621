-- tasks: what is left for the caller, what others hold and when the next of those comes back; both counts stop at 200. Gold among live work is counted by
-- its turns (`looks_ahead`), never by what waits in its lane: a count that jumps, or that stays as it was after a look, would tell it.
WITH me AS MATERIALIZED (
    SELECT id, role, meant_until FROM people WHERE id = %(me)s::int AND role IN ('reviewer', 'lead')),
lane AS MATERIALIZED (
    SELECT l.id, l.novice, l.skill_id
      FROM me CROSS JOIN LATERAL lanes_of(me.id, me.role) l
     WHERE NOT EXISTS (SELECT FROM lanes q JOIN person_skills s ON s.skill_id = q.skill_id AND s.person_id = me.id
                        WHERE q.id = l.id AND q.gold AND s.status = 'active' AND NOT s.held_back)),
waiting AS MATERIALIZED (
    SELECT lane.skill_id FROM lane CROSS JOIN LATERAL (
        SELECT FROM tasks t WHERE t.lane_id = lane.id AND t.state = 'pending' AND open_to(t, lane.novice, (SELECT clock_timestamp())) AND NOT %(me)s::int = ANY (t.seen_by || t.barred) ORDER BY t.rank LIMIT 200) t
     UNION ALL
    SELECT lane.skill_id FROM tasks t JOIN lane ON lane.id = t.lane_id                                    -- and what a lead keeps for me
     WHERE (SELECT meant_until FROM me) > (SELECT clock_timestamp()) AND t.meant_for = %(me)s::int AND t.meant_until > (SELECT clock_timestamp()) AND t.state = 'held' AND t.held_for IS NULL
     LIMIT 200),
held AS MATERIALIZED (
    SELECT a.live_until, lane.skill_id
      FROM lane CROSS JOIN LATERAL (
        SELECT a.live_until FROM assignments a
         WHERE a.lane_id = lane.id AND a.live_until IS NOT NULL AND a.person_id <> %(me)s::int ORDER BY a.live_until LIMIT 200) a
     LIMIT 200),
begun AS MATERIALIZED (
    SELECT l.skill_id FROM assignments a JOIN lanes l ON l.id = a.lane_id
     WHERE a.person_id = %(me)s::int AND a.ended_at IS NULL AND a.lease_expires > (SELECT clock_timestamp())),
free AS (
    SELECT skill_id, count(*)::int AS live
      FROM (SELECT skill_id FROM waiting UNION ALL SELECT skill_id FROM held WHERE live_until <= clock_timestamp()) f GROUP BY skill_id),
ahead AS (
    SELECT COALESCE(sum(COALESCE(looks_ahead(s, CASE s.skill_id WHEN begun.skill_id THEN 1 ELSE 0 END, least(free.live, 200)), free.live)), 0) AS looks
      FROM free LEFT JOIN person_skills s ON s.person_id = %(me)s::int AND s.skill_id = free.skill_id LEFT JOIN begun ON true)
SELECT least(200, (SELECT looks FROM ahead))::bigint AS waiting,
       (SELECT count(*) FROM held WHERE live_until > clock_timestamp()) AS held,
       (SELECT ceil(extract(epoch FROM min(live_until) - clock_timestamp()))::int FROM held WHERE live_until > clock_timestamp()) AS next_free_seconds,
       (SELECT count(*) FROM decisions WHERE person_id = %(me)s::int AND assignment_id IS NOT NULL AND created_at >= date_trunc('day', clock_timestamp())) AS done_today,
       (SELECT count(*) FROM lane) AS lanes;
