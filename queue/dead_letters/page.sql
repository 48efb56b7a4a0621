-- dead_letters: those that a person may see, oldest first.
SELECT d.id, d.project_id, p.name AS project, d.batch_id, d.idempotency_key, d.source_hash, d.code, d.field, d.detail, octet_length(d.body) AS bytes,
       d.trace_id, d.created_at
  FROM people me CROSS JOIN dead_letters d JOIN projects p ON p.id = d.project_id
 WHERE me.id = %(person_id)s::int AND (me.role IN ('operator', 'lead') OR me.role = 'customer' AND me.customer_id = p.customer_id)
   AND d.id > %(after)s::bigint AND (%(project_id)s::int IS NULL OR d.project_id = %(project_id)s::int)
 ORDER BY d.id LIMIT %(limit)s::int;
