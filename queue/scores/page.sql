-- scores: everybody who has a skill, or one of them, the lowest bound first; for leads.
SELECT k.person_id, p.name AS person, p.program, p.disabled_at, k.status, k.tier, k.pinned, k.novice, k.held_back, k.said, k.since, k.extra_left, COALESCE(c.ok, 0) AS ok, COALESCE(c.n, 0) AS n,
       COALESCE(c.level, 0)::float8 AS level, COALESCE(c.alarms, 0) AS alarms, c.mean, c.low, c.high, c.weight
  FROM person_skills k JOIN people p ON p.id = k.person_id LEFT JOIN scores c ON c.person_id = k.person_id AND c.skill_id = k.skill_id
 WHERE k.skill_id = %(skill_id)s::int AND k.person_id = COALESCE(%(person_id)s::int, k.person_id)
 ORDER BY c.low NULLS FIRST, p.name LIMIT 5000;
