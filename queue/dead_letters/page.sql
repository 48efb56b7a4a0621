-- dead_letters: those that a person may see, oldest first.
SELECT d.id, d.project_id, p.name AS project, d.batch_id, d.idempotency_key, d.source_hash, d.code, d.field, d.detail, octet_length(d.body) AS bytes,
       d.trace_id, d.created_at, d.source, d.gate, d.cause, d.attempts, d.message_id, COALESCE(r.result, 'open') AS state, r.again_id, COALESCE(o.came_again, 0) AS came_again
  FROM people me CROSS JOIN dead_letters d LEFT JOIN projects p ON p.id = d.project_id
  LEFT JOIN dead_letters_open o ON o.dead_letter_id = d.id
  LEFT JOIN LATERAL (SELECT result, again_id FROM dead_letter_replays WHERE dead_letter_id = d.id ORDER BY id DESC LIMIT 1) r ON true
 WHERE me.id = %(person_id)s::int AND (me.role IN ('operator', 'lead') OR me.role = 'customer' AND me.customer_id = COALESCE(p.customer_id, d.customer_id))
   AND d.id > %(after)s::bigint AND (%(project_id)s::int IS NULL OR d.project_id = %(project_id)s::int)
   AND (%(code)s::text IS NULL OR d.code = %(code)s::text) AND (%(cause)s::text IS NULL OR d.cause = %(cause)s::text)
 ORDER BY d.id LIMIT %(limit)s::int;
