-- inbox: what leased partitions hold, oldest first. Where a handler did not come back, what it had is counted; what was counted is read alone, so that poison is.
WITH head AS MATERIALIZED (
    SELECT g.partition_id, g.lapsed, first.attempts
      FROM unnest(%(partition_ids)s::bigint[], %(lapsed)s::boolean[]) g(partition_id, lapsed)
     CROSS JOIN LATERAL (SELECT i.attempts FROM inbox i WHERE i.partition_id = g.partition_id ORDER BY i.message_id LIMIT 1) first),
counted AS (
    UPDATE inbox i SET attempts = i.attempts + 1, last_error = 'its handler did not come back'
      FROM head CROSS JOIN LATERAL (
            SELECT h.message_id FROM inbox h WHERE h.partition_id = head.partition_id
             ORDER BY h.message_id LIMIT CASE WHEN head.attempts = 0 THEN %(run_messages)s::int ELSE 1 END) had
     WHERE head.lapsed AND i.message_id = had.message_id
    RETURNING i.message_id, i.attempts, i.last_error)
SELECT i.partition_id, i.message_id, m.idempotency_key, m.received_by, m.trace_id, m.source_hash, COALESCE(counted.attempts, i.attempts) AS attempts,
       COALESCE(counted.last_error, i.last_error) AS last_error, i.body
  FROM head CROSS JOIN LATERAL (
        SELECT h.* FROM inbox h WHERE h.partition_id = head.partition_id
         ORDER BY h.message_id LIMIT CASE WHEN head.attempts = 0 AND NOT head.lapsed THEN %(run_messages)s::int ELSE 1 END) i
  JOIN messages m ON m.id = i.message_id LEFT JOIN counted ON counted.message_id = i.message_id
 ORDER BY i.partition_id, i.message_id;
