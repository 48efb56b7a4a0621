-- queues: a project's move to the lanes of another tier; its open tasks follow by projects/rerank.
UPDATE queues q SET lane_id = n.id
  FROM lanes l JOIN lanes n ON n.skill_id = l.skill_id AND n.queue = l.queue
 WHERE q.project_id = %(project_id)s::int AND l.id = q.lane_id AND n.tier = %(tier)s::smallint AND n.id <> l.id;
