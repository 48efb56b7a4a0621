-- effects: the webhooks of all projects, or of a customer's, by project.
SELECT e.id AS effect_id, e.project_id, p.name AS project, p.customer_id, e.url, e.on_outcomes, e.switched_off, e.rest_until, e.failures, e.sealed_secret,
       CASE WHEN e.former_until > clock_timestamp() THEN e.sealed_former END AS sealed_former, e.former_until,
       clock_timestamp() AS server_now
  FROM effects e JOIN projects p ON p.id = e.project_id
 WHERE e.kind = 'webhook' AND (%(customer_id)s::int IS NULL OR p.customer_id = %(customer_id)s::int)
 ORDER BY p.name, e.id LIMIT 500;
