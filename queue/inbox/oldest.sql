-- inbox: the message that has waited longest, and for how many seconds.
SELECT m.id AS message_id, m.trace_id, m.source_hash, extract(epoch FROM clock_timestamp() - m.received_at)::float8 AS seconds
  FROM inbox i JOIN messages m ON m.id = i.message_id ORDER BY i.message_id LIMIT 1;
