-- control: what is open in every queue, and in this hour in every project. Reads every open task, which is why no page does.
WITH counted AS MATERIALIZED (
    SELECT t.queue_id, count(*) FILTER (WHERE t.state = 'pending')::int AS pending, count(*) FILTER (WHERE t.state IN ('full', 'held'))::int AS held,
           count(*) FILTER (WHERE t.state = 'blocked')::int AS blocked, count(*) FILTER (WHERE t.state = 'paused')::int AS paused,
           min(t.created_at) FILTER (WHERE t.state = 'pending') AS oldest
      FROM tasks t WHERE t.open_in IS NOT NULL GROUP BY t.queue_id),
busy AS MATERIALIZED (
    SELECT queue_id, sum(looks)::int AS looks FROM control_reasons WHERE week > ((SELECT clock_timestamp()) AT TIME ZONE 'UTC')::date - 28 GROUP BY queue_id),
found AS MATERIALIZED (
    SELECT q.id AS queue_id, q.project_id, COALESCE(c.pending, 0) AS pending, COALESCE(c.held, 0) AS held, COALESCE(c.blocked, 0) AS blocked,
           COALESCE(c.paused, 0) AS paused, c.oldest, COALESCE(b.looks, 0) AS looks,
           c.queue_id IS NOT NULL OR k.pending + k.held + k.blocked + k.paused > 0 OR COALESCE(b.looks, 0) IS DISTINCT FROM COALESCE(k.looks, 0) AS news
      FROM queues q LEFT JOIN counted c ON c.queue_id = q.id LEFT JOIN control_queues k ON k.queue_id = q.id LEFT JOIN busy b ON b.queue_id = q.id),
kept AS (
    INSERT INTO control_queues AS k (queue_id, project_id, pending, held, blocked, paused, oldest, looks)
    SELECT queue_id, project_id, pending, held, blocked, paused, oldest, looks FROM found WHERE news ORDER BY queue_id
        ON CONFLICT (queue_id) DO UPDATE
       SET pending = excluded.pending, held = excluded.held, blocked = excluded.blocked, paused = excluded.paused, oldest = excluded.oldest, looks = excluded.looks)
INSERT INTO control_hours AS h (project_id, hour, open)
SELECT COALESCE(project_id, 0), date_trunc('hour', clock_timestamp(), 'UTC'), COALESCE(sum(pending + held + blocked + paused), 0)
  FROM found WHERE news GROUP BY GROUPING SETS ((project_id), ()) ORDER BY 1
    ON CONFLICT (project_id, hour) DO UPDATE SET open = excluded.open;
