-- effects: a project's webhook, as a call needs it. A former secret signs until its day is over.
SELECT e.id AS effect_id, e.project_id, p.name AS project, p.customer_id, e.url, e.on_outcomes, e.switched_off, e.rest_until, e.failures, e.sealed_secret,
       CASE WHEN e.former_until > clock_timestamp() THEN e.sealed_former END AS sealed_former, e.former_until,
       clock_timestamp() AS server_now
  FROM effects e JOIN projects p ON p.id = e.project_id
 WHERE e.kind = 'webhook' AND e.project_id = %(project_id)s::int AND (%(customer_id)s::int IS NULL OR p.customer_id = %(customer_id)s::int);
