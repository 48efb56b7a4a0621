-- people: a crowd of programs who have a skill. The rows say when each of them meets gold, so that it may be every look.
WITH made AS (
    INSERT INTO people (name, role, program, pseudonym)
    SELECT 'w' || nth, 'reviewer', true, 'w' || nth FROM generate_series(1, %(people)s::int) nth ORDER BY nth
    RETURNING id),
terms AS (
    UPDATE skills SET gold_rate = 1, novice_rate = 1 WHERE name = %(skill)s::text),
skilled AS (
    INSERT INTO person_skills (person_id, skill_id, gold_every) SELECT made.id, s.id, 1 FROM made, skills s WHERE s.name = %(skill)s::text)
SELECT id FROM made ORDER BY id;
