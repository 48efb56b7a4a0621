-- project_versions: all of a project, newest first.
SELECT v.version, v.shown_version, v.rules, v.why, v.created_at, p.name AS by
  FROM project_versions v JOIN people p ON p.id = v.created_by
 WHERE v.project_id = %(project_id)s::int
 ORDER BY v.version DESC;
