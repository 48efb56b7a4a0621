-- inbox: the message that has waited longest, and for how many seconds. Those that wait again have low numbers, so it is looked for among the first.
SELECT m.id AS message_id, m.trace_id, m.source_hash, extract(epoch FROM clock_timestamp() - first.since)::float8 AS seconds
  FROM (SELECT f.message_id, COALESCE(f.since, (SELECT a.received_at FROM messages a WHERE a.id = f.message_id)) AS since
          FROM (SELECT i.message_id, i.since FROM inbox i ORDER BY i.message_id LIMIT 2500) f
         ORDER BY 2, 1 LIMIT 1) first
  JOIN messages m ON m.id = first.message_id;
