-- tasks: pending ↔ paused, as their project and queue are; at most 500 at a time, since a claim walks past locked rows.
WITH unlike AS MATERIALIZED (
    SELECT t.id, p.paused_at IS NOT NULL OR q.paused_at IS NOT NULL AS halted
      FROM tasks t JOIN projects p ON p.id = t.project_id JOIN queues q ON q.id = t.queue_id
     WHERE t.open_in = %(project_id)s::int AND t.id > %(after)s::bigint AND t.paused <> (p.paused_at IS NOT NULL OR q.paused_at IS NOT NULL)
     ORDER BY t.id LIMIT 500 FOR NO KEY UPDATE OF t SKIP LOCKED),
changed AS (
    UPDATE tasks t SET paused = unlike.halted FROM unlike WHERE t.id = unlike.id)
SELECT count(*)::int AS touched, max(id) AS last,
       EXISTS (SELECT FROM tasks t JOIN projects p ON p.id = t.project_id JOIN queues q ON q.id = t.queue_id
                WHERE t.open_in = %(project_id)s::int AND t.paused <> (p.paused_at IS NOT NULL OR q.paused_at IS NOT NULL)
                  AND NOT t.id = ANY (ARRAY(SELECT id FROM unlike))) AS left
  FROM unlike;
