-- inbox: what leased partitions hold, oldest first, as far as it has room. What a handler had begun that did not come back is counted, and read alone, so that poison is.
WITH head AS MATERIALIZED (
    SELECT g.partition_id, g.lapsed, g.nth, first.attempts
      FROM unnest(%(partition_ids)s::bigint[], %(lapsed)s::boolean[]) WITH ORDINALITY g(partition_id, lapsed, nth)
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
  FROM (SELECT h.*, sum(octet_length(h.body)) OVER sent AS upto, row_number() OVER sent AS nth
          FROM head CROSS JOIN LATERAL (
                SELECT h.* FROM inbox h WHERE h.partition_id = head.partition_id
                 ORDER BY h.message_id LIMIT CASE WHEN head.attempts = 0 AND NOT head.lapsed THEN %(run_messages)s::int ELSE 1 END) h
        WINDOW sent AS (ORDER BY head.nth, h.message_id)) i
  JOIN messages m ON m.id = i.message_id LEFT JOIN counted ON counted.message_id = i.message_id
 WHERE i.upto <= %(bytes)s::bigint OR i.nth = 1
 ORDER BY i.partition_id, i.message_id;
