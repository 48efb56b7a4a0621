-- people: how somebody stands in each of their skills, and the last thing that they asked a lead there. Golds among live work are counted once their day
-- (UTC) is over: a count that rises after a look would tell which one was gold.
SELECT k.skill_id, s.name AS skill, k.status, k.tier, k.pinned, k.novice, k.held_back, k.said, k.since, k.extra_left, greatest(COALESCE(c.ok, 0) - today.ok, 0) AS ok, greatest(COALESCE(c.n, 0) - today.n, 0) AS n,
       COALESCE(c.exam_ok, 0) AS exam_ok, COALESCE(c.exam_n, 0) AS exam_n, COALESCE(c.extra_ok, 0) AS extra_ok, COALESCE(c.level, 0)::float8 AS level, COALESCE(c.alarms, 0) AS alarms,
       c.mean, c.low, c.high, c.weight, CASE WHEN a.answered_at IS NULL THEN a.id END AS appeal_id, a.note AS appealed, a.answer, a.answered_at, CASE WHEN appeal_from(k) > clock_timestamp() THEN appeal_from(k) END AS appeal_from
  FROM person_skills k JOIN skills s ON s.id = k.skill_id LEFT JOIN scores c ON c.person_id = k.person_id AND c.skill_id = k.skill_id
 CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE r.correct)::int AS ok, count(*)::int AS n
          FROM gold_results r
         WHERE r.person_id = k.person_id AND r.skill_id = k.skill_id AND r.purpose = 'ordinary' AND r.at >= date_trunc('day', clock_timestamp(), 'UTC')) today
  LEFT JOIN LATERAL (
        SELECT a.* FROM appeals a WHERE a.person_id = k.person_id AND a.skill_id = k.skill_id ORDER BY a.id DESC LIMIT 1) a ON true
 WHERE k.person_id = %(person_id)s::int
 ORDER BY s.name;
