-- pipeline_records: one for each decision that changes no message: a repeat, a refusal.
INSERT INTO pipeline_records (decision, project_id, message_id, idempotency_key, trace_id, source_hash, match_decision, currency, variance_amount,
                              dead_letter_id, code, worker, settings_version, detail)
SELECT r.decision, r.project_id, r.message_id, r.key, r.trace_id, r.source_hash, r.match_decision, r.currency, r.variance, r.dead_letter_id, r.code,
       %(worker)s::text, %(settings_version)s::int, r.detail
  FROM unnest(%(decisions)s::text[], %(project_ids)s::int[], %(message_ids)s::bigint[], %(keys)s::text[], %(trace_ids)s::text[], %(source_hashes)b::bytea[],
              %(match_decisions)s::text[], %(currencies)s::text[], %(variances)s::numeric[], %(dead_letter_ids)s::bigint[], %(codes)s::text[], %(details)s::jsonb[])
              WITH ORDINALITY r(decision, project_id, message_id, key, trace_id, source_hash, match_decision, currency, variance, dead_letter_id, code, detail, nth)
 ORDER BY r.nth;
