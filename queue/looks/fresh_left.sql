-- tasks: is there work for the caller beside what they skipped? Asked after a skip, so that the next item is not the same one.
WITH me AS MATERIALIZED (SELECT id, role FROM people WHERE id = %(me)s::int),
lane AS MATERIALIZED (
    SELECT l.id
      FROM me JOIN person_skills s ON s.person_id = me.id JOIN lanes l ON l.skill_id = s.skill_id AND l.tier <= s.tier
     WHERE s.status IN ('exam', 'active') AND l.queue <> 'escalation'
     UNION ALL
    SELECT l.id FROM me JOIN lanes l ON me.role = 'lead' AND l.queue = 'escalation')
SELECT EXISTS (
    SELECT FROM lane CROSS JOIN LATERAL (
        SELECT FROM tasks t WHERE t.lane_id = lane.id AND t.state = 'pending' AND NOT %(me)s::int = ANY (t.closed_to) ORDER BY t.rank LIMIT 1) first) AS fresh;
