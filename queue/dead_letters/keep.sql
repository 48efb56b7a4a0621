-- dead_letters: none → kept, in the order of the rows.
INSERT INTO dead_letters (project_id, batch_id, idempotency_key, source_hash, code, field, detail, body, trace_id)
SELECT %(project_id)s::int, %(batch_id)s::bigint, d.key, d.source_hash, d.code, d.field, d.detail, d.body, d.trace_id
  FROM unnest(%(keys)s::text[], %(source_hashes)b::bytea[], %(codes)s::text[], %(fields)s::text[], %(details)s::text[], %(bodies)b::bytea[], %(trace_ids)s::text[])
              WITH ORDINALITY d(key, source_hash, code, field, detail, body, trace_id, nth)
 ORDER BY d.nth
RETURNING id AS dead_letter_id, idempotency_key, code, field, detail;
