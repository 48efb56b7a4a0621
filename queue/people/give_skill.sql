-- people: a skill more, or another tier in it, which is pinned then. The skill is made if need be; who is new to one with an exam sits it first.
WITH made AS (
    INSERT INTO skills (name) VALUES (%(skill)s::text) ON CONFLICT (name) DO NOTHING RETURNING id),
skill AS MATERIALIZED (
    SELECT id, false AS exam, 0 AS gold_every FROM made
     UNION ALL
    SELECT s.id, s.exam, CASE WHEN s.novice_rate > 0 AND EXISTS (SELECT FROM golds g WHERE g.skill_id = s.id AND g.retired_at IS NULL) THEN greatest(round(1 / s.novice_rate), 1) ELSE 0 END
      FROM skills s WHERE s.name = %(skill)s::text AND NOT EXISTS (SELECT FROM made)),
given AS (
    INSERT INTO person_skills (person_id, skill_id, tier, pinned, status, said, gold_every)
    SELECT p.id, skill.id, %(tier)s::smallint, %(tier)s::smallint > 0, CASE WHEN skill.exam AND %(tier)s::smallint = 0 THEN 'exam' ELSE 'active' END,
           CASE WHEN skill.exam AND %(tier)s::smallint = 0 THEN 'An entry exam comes first.' ELSE '' END, skill.gold_every
      FROM people p CROSS JOIN skill WHERE p.id = %(person_id)s::int
        ON CONFLICT (person_id, skill_id) DO UPDATE SET tier = excluded.tier, pinned = true
    RETURNING person_id),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'person.skill_given', %(by)s::int, jsonb_build_object('person', person_id, 'skill', %(skill)s::text, 'tier', %(tier)s::int) FROM given)
SELECT person_id FROM given;
