-- skills: whether who is new sits an exam, and how much of everybody's work is gold. Rates of people follow with their next gold.
WITH changed AS (
    UPDATE skills SET exam = %(exam)s::boolean, gold_rate = %(gold_rate)s::float8, novice_rate = %(novice_rate)s::float8 WHERE id = %(skill_id)s::int AND id > 0 RETURNING id),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'skill.changed', %(me)s::int, jsonb_build_object('skill_id', id, 'exam', %(exam)s::boolean, 'gold_rate', %(gold_rate)s::float8, 'novice_rate', %(novice_rate)s::float8)
      FROM changed)
SELECT id FROM changed;
