-- people: who is handed no live item of the skill, and of these who is handed no gold either.
SELECT k.person_id AS id, k.status = 'paused' OR k.status = 'soft_paused' AND k.extra_left = 0 AS wholly
  FROM person_skills k JOIN skills s ON s.id = k.skill_id
 WHERE s.name = %(skill)s::text AND (k.status <> 'active' OR k.held_back);
