-- people: a skill more, or another tier in it. The skill is made if need be.
WITH made AS (
    INSERT INTO skills (name) VALUES (%(skill)s::text) ON CONFLICT (name) DO NOTHING RETURNING id),
given AS (
    INSERT INTO person_skills (person_id, skill_id, tier)
    SELECT p.id, COALESCE((SELECT id FROM made), (SELECT id FROM skills WHERE name = %(skill)s::text)), %(tier)s::smallint
      FROM people p WHERE p.id = %(person_id)s::int
        ON CONFLICT (person_id, skill_id) DO UPDATE SET tier = excluded.tier
    RETURNING person_id),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'person.skill_given', %(by)s::int, jsonb_build_object('person', person_id, 'skill', %(skill)s::text, 'tier', %(tier)s::int) FROM given)
SELECT person_id FROM given;
