-- queues: a project's, by its name.
SELECT id FROM queues WHERE project_id = %(project_id)s::int AND name = %(name)s::text;
