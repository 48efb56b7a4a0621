-- restore: whether nothing has happened on this desk yet, and no program of it runs.
SELECT NOT EXISTS (SELECT FROM projects) AND NOT EXISTS (SELECT FROM people WHERE role <> 'system') AND NOT EXISTS (SELECT FROM decisions) AS untouched,
       EXISTS (SELECT FROM processes WHERE stopped_at IS NULL AND seen_at > clock_timestamp() - interval '30 s') AS running;
