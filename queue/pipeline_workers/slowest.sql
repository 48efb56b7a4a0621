-- pipeline_workers: the slowest p99 of the pools that are at work and have measured enough handlers; one that was silent for a minute is not.
SELECT max(p99_ms) AS p99_ms FROM pipeline_workers
 WHERE measured >= %(enough)s::int AND state <> 'stopped' AND seen_at > clock_timestamp() - interval '1 minute';
