-- pipeline_workers: the pools that were heard of today, those at work first.
SELECT name, source, settings_version, started_at, seen_at, stopped_at, state, queued, in_flight, handled, measured, p99_ms,
       state <> 'stopped' AND seen_at < clock_timestamp() - interval '1 minute' AS silent
  FROM pipeline_workers WHERE seen_at > clock_timestamp() - interval '1 day'
 ORDER BY state = 'stopped', seen_at < clock_timestamp() - interval '1 minute', name LIMIT 100;
