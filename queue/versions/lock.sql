-- projects: nobody else changes its rules until this is committed.
SELECT p.version, p.shown_version, p.cancelled_at IS NOT NULL AS cancelled, v.rules
  FROM projects p JOIN project_versions v ON v.project_id = p.id AND v.version = p.version
 WHERE p.id = %(project_id)s::int FOR NO KEY UPDATE OF p;
