-- metrics: what was refused in the last hour (of the newest 10,000), how often a buffer was full in the last five minutes, and projects in danger by state.
SELECT (SELECT count(*)::int FROM (SELECT l.created_at FROM dead_letters l ORDER BY l.id DESC LIMIT 10000) newest
         WHERE newest.created_at > clock_timestamp() - interval '1 hour') AS dead_letters,
       (SELECT COALESCE(sum(s.n), 0)::bigint FROM pipeline_signals s
         WHERE s.code = 'QUEUE_SATURATED' AND s.minute > clock_timestamp() - interval '5 minutes') AS saturated,
       count(*) FILTER (WHERE danger.state = 'at_risk')::int AS at_risk, count(*) FILTER (WHERE danger.state = 'late')::int AS late
  FROM (SELECT (SELECT a.state FROM alerts a WHERE a.project_id = p.id ORDER BY a.no DESC LIMIT 1) AS state
          FROM projects p WHERE p.deadline IS NOT NULL AND p.cancelled_at IS NULL AND EXISTS (SELECT FROM tasks t WHERE t.open_in = p.id)) danger;
