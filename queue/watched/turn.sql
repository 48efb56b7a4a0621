-- watched_folders: free → ours for so many seconds; every project that watches one and that nobody looks at.
INSERT INTO watched_folders AS f (project_id, free_at)
SELECT p.id, clock_timestamp() + make_interval(secs => %(seconds)s::float8)
  FROM project_versions v JOIN projects p ON p.id = v.project_id AND p.version = v.version
 WHERE v.rules ->> 'watch' IS NOT NULL AND p.cancelled_at IS NULL
    ON CONFLICT (project_id) DO UPDATE SET free_at = excluded.free_at WHERE f.free_at < clock_timestamp()
RETURNING f.project_id;
