-- batches: none → open, of a project that takes items.
INSERT INTO batches (project_id, created_by)
SELECT p.id, %(by)s::int FROM projects p WHERE p.id = %(project_id)s::int AND p.cancelled_at IS NULL
RETURNING id AS batch_id;
