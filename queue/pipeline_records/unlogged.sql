-- pipeline_unlogged: not in the log → being written there by who holds their locks; oldest first.
WITH mine AS MATERIALIZED (
    SELECT u.record_id FROM pipeline_unlogged u ORDER BY u.record_id LIMIT %(limit)s::int FOR NO KEY UPDATE SKIP LOCKED)
SELECT r.id, r.at, r.decision, r.project_id, r.message_id, r.idempotency_key, r.trace_id, r.source_hash, r.match_decision, r.currency, r.variance_amount,
       r.route, r.queue, r.item_id, r.dead_letter_id, r.code, r.worker, r.settings_version, r.detail
  FROM mine JOIN pipeline_records r ON r.id = mine.record_id ORDER BY r.id;
