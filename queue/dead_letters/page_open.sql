-- dead_letters: those that a person may see and nobody has replayed, oldest first.
SELECT d.id, d.project_id, p.name AS project, d.batch_id, d.idempotency_key, d.source_hash, d.code, d.field, d.detail, octet_length(d.body) AS bytes,
       d.trace_id, d.created_at, d.source, d.gate, d.cause, d.attempts, d.message_id, 'open' AS state, NULL::bigint AS again_id, o.came_again
  FROM people me CROSS JOIN dead_letters_open o JOIN dead_letters d ON d.id = o.dead_letter_id LEFT JOIN projects p ON p.id = d.project_id
 WHERE me.id = %(person_id)s::int AND (me.role IN ('operator', 'lead') OR me.role = 'customer' AND me.customer_id = o.customer_id)
   AND o.dead_letter_id > %(after)s::bigint AND (%(project_id)s::int IS NULL OR o.project_id = %(project_id)s::int)
   AND (%(code)s::text IS NULL OR o.code = %(code)s::text) AND (%(cause)s::text IS NULL OR o.cause = %(cause)s::text)
 ORDER BY o.dead_letter_id LIMIT %(limit)s::int;
