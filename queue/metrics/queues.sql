-- metrics: what waits in each queue, and since when. An index-only count, which stops at 100,000 a lane; ages by each project's oldest open tasks.
WITH waiting AS (
    SELECT l.queue, sum(n.n)::int AS pending
      FROM lanes l CROSS JOIN LATERAL (
            SELECT count(*) AS n FROM (SELECT FROM tasks t WHERE t.lane_id = l.id AND t.state = 'pending' LIMIT 100000) first) n
     WHERE NOT l.gold
     GROUP BY l.queue),
open AS (                                                              -- ids rise with age: a project's oldest pending task is among its first open ones
    SELECT q.name AS queue, t.created_at
      FROM projects p CROSS JOIN LATERAL (
            SELECT t.queue_id, t.state, t.created_at FROM tasks t WHERE t.open_in = p.id ORDER BY t.id LIMIT 1000) t
      JOIN queues q ON q.id = t.queue_id
     WHERE t.state = 'pending' AND p.cancelled_at IS NULL
     UNION ALL
    SELECT q.name, t.created_at
      FROM projects p CROSS JOIN LATERAL (SELECT t.queue_id, t.state, t.created_at FROM tasks t WHERE t.led_in = p.id LIMIT 1000) t
      JOIN queues q ON q.id = t.queue_id
     WHERE t.state = 'pending'),
oldest AS (
    SELECT queue, extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS seconds FROM open GROUP BY queue)
SELECT waiting.queue, waiting.pending, COALESCE(oldest.seconds, 0) AS oldest_seconds FROM waiting LEFT JOIN oldest USING (queue) ORDER BY queue;
