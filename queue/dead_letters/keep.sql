-- dead_letters: none → kept, in the order of the rows.
INSERT INTO dead_letters (project_id, batch_id, customer_id, received_by, idempotency_key, source_hash, code, field, detail, body, trace_id,
                          gate, cause, source, headers, attempts, message_id, sameness)
SELECT %(project_id)s::int, %(batch_id)s::bigint, %(customer_id)s::int, %(received_by)s::int, d.key, d.source_hash, d.code, d.field, d.detail, d.body, d.trace_id,
       d.gate, d.cause, d.source, d.headers, d.attempts, d.message_id, d.sameness
  FROM unnest(%(keys)s::text[], %(source_hashes)b::bytea[], %(codes)s::text[], %(fields)s::text[], %(details)s::text[], %(bodies)b::bytea[], %(trace_ids)s::text[],
              %(gates)s::text[], %(causes)s::text[], %(sources)s::text[], %(headers)s::jsonb[], %(attempts)s::int[], %(message_ids)s::bigint[],
              %(samenesses)b::bytea[])
              WITH ORDINALITY d(key, source_hash, code, field, detail, body, trace_id, gate, cause, source, headers, attempts, message_id, sameness, nth)
 ORDER BY d.nth
RETURNING id AS dead_letter_id, idempotency_key, code, field, detail;
