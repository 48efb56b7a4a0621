-- pipeline_settings: every version, newest first.
SELECT s.version, s.settings, s.source, s.why, p.name AS by, s.created_at
  FROM pipeline_settings s JOIN people p ON p.id = s.created_by ORDER BY s.version DESC LIMIT 500;
