-- forecasts: how many tasks each of these skills has open in all projects together, leads' tasks apart.
SELECT l.skill_id, l.queue IN ('escalation', 'adjudication') AS led, sum(n.n)::int AS pending
  FROM lanes l CROSS JOIN LATERAL (SELECT count(*) AS n FROM tasks t WHERE t.lane_id = l.id AND t.state = 'pending') n
 WHERE l.skill_id = ANY (%(skills)s::int[]) AND NOT l.gold
 GROUP BY 1, 2;
