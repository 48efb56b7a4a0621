-- people: how somebody stands in each of their skills, and the last thing that they asked a lead there.
SELECT k.skill_id, s.name AS skill, k.status, k.tier, k.pinned, k.novice, k.held_back, k.said, k.since, k.extra_left, COALESCE(c.ok, 0) AS ok, COALESCE(c.n, 0) AS n,
       COALESCE(c.exam_ok, 0) AS exam_ok, COALESCE(c.exam_n, 0) AS exam_n, COALESCE(c.level, 0)::float8 AS level, COALESCE(c.alarms, 0) AS alarms,
       c.mean, c.low, c.high, c.weight, CASE WHEN a.answered_at IS NULL THEN a.id END AS appeal_id, a.note AS appealed, a.answer, a.answered_at
  FROM person_skills k JOIN skills s ON s.id = k.skill_id LEFT JOIN scores c ON c.person_id = k.person_id AND c.skill_id = k.skill_id
  LEFT JOIN LATERAL (
        SELECT a.* FROM appeals a WHERE a.person_id = k.person_id AND a.skill_id = k.skill_id ORDER BY a.id DESC LIMIT 1) a ON true
 WHERE k.person_id = %(person_id)s::int
 ORDER BY s.name;
