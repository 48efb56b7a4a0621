-- projects: those with a deadline, how much of each is open, and how many items an hour settled in the hours of the last six in which any did.
SELECT p.id AS project_id, p.boost, extract(epoch FROM p.deadline - clock_timestamp())::float8 / 3600 AS hours_left, open.n::int AS open_items,
       CASE WHEN pace.hours > 0 THEN pace.n::float8 / pace.hours END AS per_hour
  FROM projects p
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM tasks t WHERE t.open_in = p.id) open
 CROSS JOIN LATERAL (
        SELECT count(*) AS n, count(DISTINCT date_trunc('hour', d.created_at)) AS hours
          FROM (SELECT created_at FROM decisions d WHERE d.project_id = p.id AND d.outcome IS NOT NULL ORDER BY d.id DESC LIMIT 5000) d
         WHERE d.created_at > clock_timestamp() - interval '6 hours') pace
 WHERE p.deadline IS NOT NULL AND p.cancelled_at IS NULL AND p.paused_at IS NULL AND NOT p.boost_off;
