-- Where a person may work: in the lanes of their skills up to their tier, and a lead in every escalation lane. Claims and counts ask this alone.
CREATE FUNCTION lanes_of(of_person integer, in_role text) RETURNS SETOF lanes LANGUAGE sql STABLE AS $$
    SELECT l.* FROM person_skills s JOIN lanes l ON l.skill_id = s.skill_id AND l.tier <= s.tier
     WHERE s.person_id = of_person AND s.status IN ('exam', 'active') AND l.queue <> 'escalation'
     UNION ALL
    SELECT l.* FROM lanes l WHERE in_role = 'lead' AND l.queue = 'escalation' $$;
