-- people: a crowd of programs who have a skill, all of them measured at each gold.
WITH made AS (
    INSERT INTO people (name, role, program, pseudonym)
    SELECT g.name, 'reviewer', true, 'w' || nth FROM unnest(%(names)s::text[]) WITH ORDINALITY g(name, nth) ORDER BY nth
    RETURNING id, name),
skilled AS (
    INSERT INTO person_skills (person_id, skill_id, gold_every) SELECT made.id, s.id, 1 FROM made, skills s WHERE s.name = %(skill)s::text)
SELECT id, name FROM made;
