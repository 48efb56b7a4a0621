-- messages: none → admitted; inbox: none → waiting. Messages with different keys; a key that is here already is left alone. The partitions are locked.
WITH given AS MATERIALIZED (
    SELECT * FROM unnest(%(project_ids)s::int[], %(keys)s::text[], %(message_hashes)b::bytea[], %(source_hashes)b::bytea[], %(trace_ids)s::text[],
                         %(partition_keys)s::text[], %(entities)s::text[], %(currencies)s::text[], %(variances)s::numeric[], %(match_decisions)s::text[],
                         %(bodies)b::bytea[])
                  WITH ORDINALITY g(project_id, key, message_hash, source_hash, trace_id, partition_key, entity, currency, variance, match_decision, body, nth)),
known AS MATERIALIZED (
    SELECT g.nth, m.id, m.message_hash, m.source_hash, m.trace_id
      FROM given g JOIN messages m ON m.project_id = g.project_id AND m.idempotency_key = g.key),
fresh AS MATERIALIZED (                                                -- ids rise as the messages were sent
    SELECT f.*, nextval('messages_id_seq') AS id
      FROM (SELECT g.* FROM given g WHERE NOT EXISTS (SELECT FROM known WHERE known.nth = g.nth) ORDER BY g.nth) f),
message AS (                                                           -- in the order of their keys: two calls with the same keys never wait for each other in a ring
    INSERT INTO messages (id, project_id, idempotency_key, message_hash, source_hash, trace_id, partition_key, ledger_entity, currency, variance_amount,
                          match_decision, source, received_by) OVERRIDING SYSTEM VALUE
    SELECT id, project_id, key, message_hash, source_hash, trace_id, partition_key, entity, currency, variance, match_decision, %(source)s::text, %(by)s::int
      FROM fresh ORDER BY project_id, key),
turn AS (                                                              -- a partition that was put off stays so: its head isn't tried sooner for what comes behind it
    UPDATE inbox_partitions p SET open = p.open + f.n, due = CASE WHEN p.open = 0 THEN clock_timestamp() ELSE p.due END
      FROM (SELECT project_id, partition_key, count(*)::int AS n FROM fresh GROUP BY project_id, partition_key) f
     WHERE p.project_id = f.project_id AND p.key = f.partition_key
    RETURNING p.id, p.project_id, p.key),
waiting AS (
    INSERT INTO inbox (message_id, partition_id, body)
    SELECT fresh.id, turn.id, fresh.body FROM fresh JOIN turn ON turn.project_id = fresh.project_id AND turn.key = fresh.partition_key ORDER BY fresh.id),
recorded AS (
    INSERT INTO pipeline_records (decision, project_id, message_id, idempotency_key, trace_id, source_hash, match_decision, currency, variance_amount, worker,
                                  settings_version, detail)
    SELECT 'admitted', project_id, id, key, trace_id, source_hash, match_decision, currency, variance, %(worker)s::text, %(settings_version)s::int,
           jsonb_build_object('source', %(source)s::text, 'partition_key', partition_key)
      FROM fresh ORDER BY id)
SELECT nth, id AS message_id, message_hash, source_hash, trace_id, true AS new FROM fresh
 UNION ALL
SELECT nth, id, message_hash, source_hash, trace_id, false FROM known;
