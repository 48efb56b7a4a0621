-- projects: a customer's of this name, with its rules in force.
SELECT p.id, v.rules
  FROM projects p JOIN project_versions v ON v.project_id = p.id AND v.version = p.version
 WHERE p.customer_id = %(customer_id)s::int AND p.name = %(name)s::text;
