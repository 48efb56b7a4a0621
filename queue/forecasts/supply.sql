-- forecasts: who worked in the last six hours at these skills, leads' tasks apart: how many people, and their looks in each quarter of an hour, the newest first; of all projects and of this one.
WITH who AS MATERIALIZED (
    SELECT DISTINCT k.person_id FROM person_skills k WHERE k.skill_id = ANY (%(skills)s::int[])
     UNION SELECT p.id FROM people p WHERE p.role = 'lead'),
looks AS MATERIALIZED (
    SELECT l.skill_id, t.kind IN ('escalation', 'adjudication') AS led, d.person_id, d.project_id = %(project_id)s::int AS own, d.quarter
      FROM who CROSS JOIN LATERAL (
           SELECT d.person_id, d.project_id, d.task_id, floor(extract(epoch FROM clock_timestamp() - d.created_at) / 900)::int AS quarter
             FROM decisions d
            WHERE d.person_id = who.person_id AND d.created_at > (SELECT clock_timestamp() - interval '6 hours') AND d.assignment_id IS NOT NULL
            ORDER BY d.created_at DESC LIMIT 2000) d
      JOIN tasks t ON t.id = d.task_id JOIN lanes l ON l.id = t.lane_id
     WHERE t.kind <> 'gold' AND l.skill_id = ANY (%(skills)s::int[]) AND d.quarter BETWEEN 0 AND 23),
lines AS (SELECT skill_id, led, count(DISTINCT person_id)::int AS experts FROM looks GROUP BY 1, 2),
counts AS MATERIALIZED (SELECT skill_id, led, quarter, count(*)::int AS n, count(*) FILTER (WHERE own)::int AS own FROM looks GROUP BY 1, 2, 3)
SELECT s.skill_id, s.led, s.experts,
       ARRAY(SELECT COALESCE(c.n, 0) FROM generate_series(0, 23) q LEFT JOIN counts c ON (c.skill_id, c.led, c.quarter) = (s.skill_id, s.led, q) ORDER BY q) AS looks,
       ARRAY(SELECT COALESCE(c.own, 0) FROM generate_series(0, 23) q LEFT JOIN counts c ON (c.skill_id, c.led, c.quarter) = (s.skill_id, s.led, q) ORDER BY q) AS own
  FROM lines s;
