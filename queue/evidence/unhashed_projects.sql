-- projects: those whose open tasks may carry the hash of older rules.
SELECT id AS project_id, shown_version FROM projects WHERE rehashed_version < shown_version AND id = COALESCE(%(project_id)s::int, id);
