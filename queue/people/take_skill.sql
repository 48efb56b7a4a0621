-- people: a skill less. What they hold stays theirs.
WITH taken AS (
    DELETE FROM person_skills ps USING skills s WHERE s.id = ps.skill_id AND s.name = %(skill)s::text AND ps.person_id = %(person_id)s::int
    RETURNING ps.person_id),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'person.skill_taken', %(by)s::int, jsonb_build_object('person', person_id, 'skill', %(skill)s::text) FROM taken)
SELECT person_id FROM taken;
