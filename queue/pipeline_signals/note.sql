-- pipeline_signals: one more in this minute, and in all.
WITH total AS (UPDATE pipeline_signal_totals SET n = n + %(n)s::int WHERE code = %(code)s::text)
INSERT INTO pipeline_signals AS s (code, minute, n, last_at, last_trace_id, last_source_hash, last_detail)
VALUES (%(code)s::text, date_trunc('minute', clock_timestamp()), %(n)s::int, clock_timestamp(), %(trace_id)s::text, %(source_hash)s::bytea, %(detail)s::text)
    ON CONFLICT (code, minute) DO UPDATE
   SET n = s.n + excluded.n, last_at = excluded.last_at, last_trace_id = COALESCE(excluded.last_trace_id, s.last_trace_id),
       last_source_hash = COALESCE(excluded.last_source_hash, s.last_source_hash), last_detail = excluded.last_detail;
