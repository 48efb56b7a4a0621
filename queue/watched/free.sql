-- watched_folders: ours → free in so many seconds.
UPDATE watched_folders SET free_at = clock_timestamp() + make_interval(secs => %(seconds)s::float8) WHERE project_id = %(project_id)s::int;
