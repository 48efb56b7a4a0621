-- projects: one with its rules in force, for a customer (theirs) or everybody's keeper (customer_id null).
SELECT p.id, p.customer_id, c.name AS customer, p.name, p.version, p.shown_version, s.name AS skill, v.rules, v.why, v.created_at AS version_at,
       p.created_at, p.paused_at, p.cancelled_at
  FROM projects p JOIN customers c ON c.id = p.customer_id JOIN skills s ON s.id = p.skill_id
  JOIN project_versions v ON v.project_id = p.id AND v.version = p.version
 WHERE p.id = %(project_id)s::int AND (%(customer_id)s::int IS NULL OR p.customer_id = %(customer_id)s::int);
