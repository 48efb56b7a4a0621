-- projects: nobody else changes its rules until this is committed. The rules are read afterwards: a join here would still see the old ones.
SELECT version, shown_version, cancelled_at IS NOT NULL AS cancelled FROM projects WHERE id = %(project_id)s::int FOR NO KEY UPDATE;
