-- queues: none → open, each in its lane.
INSERT INTO queues (project_id, name, lane_id)
SELECT %(project_id)s::int, l.queue, l.id
  FROM lanes l JOIN skills s ON s.id = l.skill_id
 WHERE s.name = %(skill)s::text AND l.tier = %(tier)s::smallint AND l.queue = ANY (%(queues)s::text[]);
