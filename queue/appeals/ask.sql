-- appeals: a person whose skill is paused asks a lead to look at it; one open at a time, and not again in the week after an answer.
WITH asked AS (
    INSERT INTO appeals (person_id, skill_id, note)
    SELECT k.person_id, k.skill_id, %(note)s::text FROM person_skills k
     WHERE k.person_id = %(me)s::int AND k.skill_id = %(skill_id)s::int AND k.status IN ('soft_paused', 'paused') AND COALESCE(appeal_from(k) <= clock_timestamp(), true)
        ON CONFLICT (person_id, skill_id) WHERE answered_at IS NULL DO NOTHING
    RETURNING id),
noted AS (
    INSERT INTO events (kind, person_id, detail) SELECT 'appeal.asked', %(me)s::int, jsonb_build_object('appeal', id, 'skill_id', %(skill_id)s::int) FROM asked)
SELECT id FROM asked;
