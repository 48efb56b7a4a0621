-- queues: none → open, each in its lane; one that is open moves to its lane, and its open tasks follow by projects/rerank.
INSERT INTO queues AS q (project_id, name, lane_id)
SELECT %(project_id)s::int, l.queue, l.id
  FROM lanes l JOIN skills s ON s.id = l.skill_id
 WHERE s.name = %(skill)s::text AND l.queue = ANY (%(queues)s::text[]) AND NOT l.gold
   AND l.tier = CASE WHEN l.queue IN ('adjudication', 'approval') THEN greatest(%(tier)s::smallint, 2) ELSE %(tier)s::smallint END
    ON CONFLICT (project_id, name) DO UPDATE SET lane_id = excluded.lane_id WHERE q.lane_id <> excluded.lane_id;
