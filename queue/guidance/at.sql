-- project_versions: how to judge as it was in force at a moment.
SELECT v.guidance_version AS version, COALESCE(v.rules ->> 'guidance', '') AS text, g.why, g.created_at, p.name AS by
  FROM (SELECT * FROM project_versions WHERE project_id = %(project_id)s::int AND created_at <= %(at)s::timestamptz ORDER BY version DESC LIMIT 1) v
  JOIN project_versions g ON g.project_id = v.project_id AND g.version = v.guidance_version JOIN people p ON p.id = g.created_by;
