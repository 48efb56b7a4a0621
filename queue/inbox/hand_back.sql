-- inbox_partitions: leased → due as before, with nothing of it handled. What failed is counted, and waits for a while.
WITH mine AS MATERIALIZED (
    SELECT p.id FROM unnest(%(partition_ids)s::bigint[], %(leases)s::uuid[]) g(partition_id, lease)
      JOIN inbox_partitions p ON p.id = g.partition_id AND p.lease = g.lease
     ORDER BY p.project_id, p.key FOR NO KEY UPDATE OF p),
freed AS (
    UPDATE inbox_partitions p
       SET lease = NULL, lease_until = NULL, begun = false,
           due = CASE WHEN %(seconds)s::float8 > 0 THEN clock_timestamp() + %(seconds)s::float8 * interval '1 s' ELSE p.due END
      FROM mine WHERE p.id = mine.id),
back AS (
    SELECT i.message_id FROM inbox i JOIN mine ON mine.id = i.partition_id WHERE i.message_id = ANY (%(message_ids)s::bigint[])),
counted AS (
    UPDATE inbox i SET attempts = i.attempts + 1, last_error = %(error)s::text
      FROM back WHERE i.message_id = back.message_id AND %(error)s::text IS NOT NULL)
INSERT INTO pipeline_records (decision, project_id, message_id, idempotency_key, trace_id, source_hash, match_decision, currency, variance_amount, worker,
                              settings_version, detail)
SELECT 'handed_back', m.project_id, m.id, m.idempotency_key, m.trace_id, m.source_hash, m.match_decision, m.currency, m.variance_amount, %(worker)s::text,
       %(settings_version)s::int, jsonb_build_object('error', %(error)s::text)
  FROM back JOIN messages m ON m.id = back.message_id ORDER BY m.id;
