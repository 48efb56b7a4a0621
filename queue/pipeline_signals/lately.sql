-- pipeline_signals: each code's last hours, with what was said last.
SELECT c.code, COALESCE(sum(s.n), 0)::bigint AS n, last.last_at, last.last_trace_id, last.last_source_hash, last.last_detail
  FROM unnest(%(codes)s::text[]) WITH ORDINALITY c(code, nth)
  LEFT JOIN pipeline_signals s ON s.code = c.code AND s.minute > clock_timestamp() - %(hours)s::int * interval '1 hour'
  LEFT JOIN LATERAL (SELECT l.* FROM pipeline_signals l WHERE l.code = c.code ORDER BY l.minute DESC LIMIT 1) last ON true
 GROUP BY c.code, c.nth, last.last_at, last.last_trace_id, last.last_source_hash, last.last_detail ORDER BY c.nth;
