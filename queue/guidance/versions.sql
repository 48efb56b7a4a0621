-- project_versions: those that changed how to judge, the newest first.
SELECT v.version, COALESCE(v.rules ->> 'guidance', '') AS text, v.why, v.created_at, p.name AS by
  FROM project_versions v JOIN people p ON p.id = v.created_by
 WHERE v.project_id = %(project_id)s::int AND v.guidance_version = v.version
 ORDER BY v.version DESC LIMIT %(limit)s::int;
