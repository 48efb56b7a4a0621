-- pipeline_records: those beyond an id, in their order, for comparing them with the log; `unlogged` are not there yet.
SELECT r.id, r.at, r.decision, r.project_id, r.message_id, r.idempotency_key, r.trace_id, r.source_hash, r.match_decision, r.currency, r.variance_amount,
       r.route, r.queue, r.item_id, r.dead_letter_id, r.code, r.worker, r.settings_version, r.detail,
       EXISTS (SELECT FROM pipeline_unlogged u WHERE u.record_id = r.id) AS unlogged
  FROM pipeline_records r WHERE r.id > %(after)s::bigint ORDER BY r.id LIMIT %(limit)s::int;
