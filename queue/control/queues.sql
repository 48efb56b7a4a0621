-- control: the queues with something open, the one that has waited longest first; a project's, or (0) all.
SELECT k.queue_id, q.name AS queue, k.project_id, p.name AS project, k.pending, k.held, k.blocked, k.paused, k.oldest,
       p.paused_at IS NOT NULL OR q.paused_at IS NOT NULL AS halted, p.deadline
  FROM (SELECT * FROM control_queues
         WHERE pending + held + blocked + paused > 0 AND (%(project_id)s::int = 0 OR project_id = %(project_id)s::int)
         ORDER BY oldest NULLS LAST, queue_id LIMIT %(limit)s::int) k
  JOIN queues q ON q.id = k.queue_id JOIN projects p ON p.id = k.project_id
 ORDER BY k.oldest NULLS LAST, k.queue_id;
