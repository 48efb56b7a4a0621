-- batches: a project's first one.
SELECT id AS batch_id FROM batches WHERE project_id = %(project_id)s::int ORDER BY id LIMIT 1;
