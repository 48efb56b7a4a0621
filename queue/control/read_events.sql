-- control: the next events up to the mark, each counted once: items that came, leases of tasks that ended, and what people gave back or let lapse.
WITH mark AS MATERIALIZED (SELECT read_to, next_to FROM control_marks WHERE name = 'events'),
batch AS MATERIALIZED (
    SELECT e.* FROM mark CROSS JOIN LATERAL (
        SELECT * FROM events e WHERE e.id > mark.read_to AND e.id <= mark.next_to ORDER BY e.id LIMIT %(limit)s::int) e),
hours AS (
    INSERT INTO control_hours AS h (project_id, hour, arrived)
    SELECT COALESCE(a.project_id, 0), a.hour, count(*)
      FROM (SELECT b.project_id, date_trunc('hour', b.at, 'UTC') AS hour
              FROM batch b JOIN items i ON i.id = b.item_id AND NOT i.gold WHERE b.kind = 'evidence.published' AND b.detail ->> 'version' = '1') a
     GROUP BY GROUPING SETS ((a.project_id, a.hour), (a.hour)) ORDER BY 1, 2
        ON CONFLICT (project_id, hour) DO UPDATE SET arrived = h.arrived + excluded.arrived),
leases AS (
    INSERT INTO control_leases AS l (project_id, day, leases, tasks)
    SELECT COALESCE(e.project_id, 0), e.day, t.leases, count(*)
      FROM (SELECT project_id, (at AT TIME ZONE 'UTC')::date AS day, CASE kind WHEN 'task.moved' THEN (detail ->> 'from')::bigint ELSE task_id END AS task_id
              FROM batch
             WHERE kind = 'assignment.submitted' AND detail ? 'ended_as' OR kind = 'task.returned' OR kind = 'task.moved' AND detail ->> 'because' = 'abandoned') e
     CROSS JOIN LATERAL (   -- of several looks each has a lease of its own: one of them counts
            SELECT least(t.lease_count - greatest(cardinality(t.votes) - 1, 0), 6) AS leases FROM tasks t WHERE t.id = e.task_id AND t.kind <> 'gold') t
     GROUP BY GROUPING SETS ((e.project_id, e.day, t.leases), (e.day, t.leases)) ORDER BY 1, 2, 3
        ON CONFLICT (project_id, day, leases) DO UPDATE SET tasks = l.tasks + excluded.tasks),
load AS (
    INSERT INTO control_load AS p (day, person_id, released, skipped, expired)
    SELECT (at AT TIME ZONE 'UTC')::date, person_id, count(*) FILTER (WHERE kind = 'assignment.released'), count(*) FILTER (WHERE kind = 'assignment.skipped'),
           count(*) FILTER (WHERE kind = 'assignment.expired')
      FROM batch WHERE kind IN ('assignment.released', 'assignment.skipped', 'assignment.expired')
     GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (day, person_id) DO UPDATE
       SET released = p.released + excluded.released, skipped = p.skipped + excluded.skipped, expired = p.expired + excluded.expired)
UPDATE control_marks m SET read_to = CASE WHEN (SELECT count(*) FROM batch) < %(limit)s::int THEN m.next_to ELSE (SELECT max(id) FROM batch) END
 WHERE m.name = 'events'
RETURNING m.read_to < m.next_to AS more;
