-- projects: those with a deadline and something open, and their boost.
SELECT p.id AS project_id, p.boost, extract(epoch FROM p.deadline - clock_timestamp())::float8 / 3600 AS hours_left
  FROM projects p
 WHERE p.deadline IS NOT NULL AND p.cancelled_at IS NULL AND p.paused_at IS NULL AND NOT p.boost_off
   AND (p.boost > 1 OR EXISTS (SELECT FROM tasks t WHERE t.open_in = p.id));
