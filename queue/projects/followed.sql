-- projects: what its open tasks should follow now.
SELECT version, halt_no, cancelled_at IS NOT NULL AS cancelled FROM projects WHERE id = %(project_id)s::int;
