-- projects: which version is in force.
SELECT version, shown_version FROM projects WHERE id = %(project_id)s::int;
