-- dead_letters: one without its bytes, for its customer, a lead or an operator.
SELECT d.id, d.project_id, p.name AS project, d.batch_id, d.idempotency_key, d.source_hash, d.code, d.field, d.detail, octet_length(d.body) AS bytes,
       d.trace_id, d.created_at, d.source, d.gate, d.cause, d.attempts, d.message_id, COALESCE(r.result, 'open') AS state, r.again_id, COALESCE(o.came_again, 0) AS came_again,
       d.headers, c.name AS customer,
       CASE WHEN me.role = 'customer' AND s.customer_id IS DISTINCT FROM me.customer_id THEN s.pseudonym ELSE s.name END AS received_by,
       first.dead_letter_id AS replay_of
  FROM people me CROSS JOIN dead_letters d LEFT JOIN projects p ON p.id = d.project_id
  LEFT JOIN dead_letters_open o ON o.dead_letter_id = d.id
  LEFT JOIN customers c ON c.id = COALESCE(p.customer_id, d.customer_id)
  LEFT JOIN people s ON s.id = d.received_by
  LEFT JOIN LATERAL (SELECT result, again_id FROM dead_letter_replays WHERE dead_letter_id = d.id ORDER BY id DESC LIMIT 1) r ON true
  LEFT JOIN LATERAL (SELECT dead_letter_id FROM dead_letter_replays WHERE again_id = d.id ORDER BY id LIMIT 1) first ON true
 WHERE me.id = %(person_id)s::int AND (me.role IN ('operator', 'lead') OR me.role = 'customer' AND me.customer_id = c.id)
   AND d.id = %(dead_letter_id)s::bigint;
