-- projects: nobody else changes its rules until this is committed.
SELECT id, customer_id, version, shown_version FROM projects WHERE id = %(project_id)s::int FOR NO KEY UPDATE;
