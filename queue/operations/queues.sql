-- queues: every open project's, those that are paused first, a page at a time.
SELECT q.id, q.project_id, p.name AS project, q.name, q.paused_at, p.paused_at AS project_paused_at
  FROM queues q JOIN projects p ON p.id = q.project_id
 WHERE p.cancelled_at IS NULL AND q.name <> 'automatic' AND (%(project_id)s::int IS NULL OR p.id = %(project_id)s::int)
 ORDER BY q.paused_at IS NULL, p.name, q.name LIMIT %(limit)s::int;
