-- scores: a person's in a skill, made if need be, locked; with their standing.
WITH made AS (
    INSERT INTO scores (person_id, skill_id) VALUES (%(person_id)s::int, %(skill_id)s::int) ON CONFLICT DO NOTHING)
SELECT k.status, k.tier, k.pinned, k.novice, k.extra_left, s.gold_rate, s.novice_rate,
       COALESCE(c.ok, 0) AS ok, COALESCE(c.n, 0) AS n, COALESCE(c.exam_ok, 0) AS exam_ok, COALESCE(c.exam_n, 0) AS exam_n, COALESCE(c.level, 0) AS level,
       COALESCE(c.alarms, 0) AS alarms, COALESCE(c.extra_ok, 0) AS extra_ok, COALESCE(c.extra_n, 0) AS extra_n
  FROM person_skills k JOIN skills s ON s.id = k.skill_id LEFT JOIN scores c ON c.person_id = k.person_id AND c.skill_id = k.skill_id
 WHERE k.person_id = %(person_id)s::int AND k.skill_id = %(skill_id)s::int
   FOR NO KEY UPDATE OF k;
