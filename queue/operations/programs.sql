-- processes: the programs that were heard of today, those at work first. Who has not been heard of for half a minute is silent.
SELECT name, kind, started_at, seen_at, stopped_at, resting, busy, stopped_at IS NULL AND seen_at < clock_timestamp() - interval '30 s' AS silent
  FROM processes WHERE seen_at > clock_timestamp() - interval '1 day'
 ORDER BY stopped_at IS NOT NULL, seen_at < clock_timestamp() - interval '30 s', kind, name LIMIT 100;
