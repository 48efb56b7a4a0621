-- tasks: a page of a project's open ones whose hash is of other rules than those in force.
SELECT t.id AS task_id, t.item_id, t.evidence_version AS version, e.fields, p.shown_version, v.rules -> 'show' AS show
  FROM projects p JOIN project_versions v ON v.project_id = p.id AND v.version = p.shown_version
  JOIN tasks t ON t.open_in = p.id JOIN evidence e ON e.item_id = t.item_id AND e.version = t.evidence_version
 WHERE p.id = %(project_id)s::int AND t.id > %(after)s::bigint AND t.shown_version <> p.shown_version
 ORDER BY t.id LIMIT %(limit)s::int;
