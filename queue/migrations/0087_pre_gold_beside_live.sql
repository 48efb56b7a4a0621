-- Gold is handed out beside live work: whether there is any is asked of the heads of the lanes.
CREATE OR REPLACE FUNCTION lanes_of(of_person integer, in_role text)
 RETURNS TABLE(id integer, skill_id integer, queue text, novice boolean)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT l.id, l.skill_id, l.queue, s.novice AND NOT l.gold
      FROM person_skills s
     CROSS JOIN LATERAL (SELECT * FROM lanes l WHERE l.skill_id = s.skill_id AND l.tier <= s.tier OFFSET 0) l   -- from the person to the lanes, whatever a plan thinks
     WHERE s.person_id = of_person
       AND CASE WHEN NOT l.gold THEN s.status = 'active' AND NOT s.held_back
                                     AND l.queue <> 'escalation' AND (l.queue <> 'adjudication' OR in_role <> 'lead')
                WHEN s.status = 'soft_paused' THEN s.extra_left > 0
                WHEN s.status = 'active' AND NOT s.held_back THEN gold_turn(s) AND EXISTS (
                    SELECT FROM lanes live CROSS JOIN LATERAL (   -- a probe of each lane's head: a join may read every task that waits
                            SELECT FROM tasks t WHERE t.lane_id = live.id AND t.state = 'pending' AND NOT of_person = ANY (t.closed_to) ORDER BY t.rank LIMIT 1) t
                     WHERE live.skill_id = s.skill_id AND live.tier <= s.tier AND live.queue = 'review' AND NOT live.gold)
                ELSE s.status IN ('exam', 'active') END
     UNION ALL
    SELECT l.id, l.skill_id, l.queue, false FROM lanes l WHERE in_role = 'lead' AND l.queue IN ('escalation', 'adjudication') $function$
;
