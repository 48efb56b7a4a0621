-- queues: open ↔ paused, on record; no row where it is so already. Its tasks follow by projects/pause_tasks.
WITH queue AS (
    UPDATE queues q SET paused_at = CASE WHEN %(paused)s::boolean THEN clock_timestamp() END
     WHERE q.project_id = %(project_id)s::int AND q.name = %(name)s::text AND (q.paused_at IS NOT NULL) <> %(paused)s::boolean
    RETURNING q.project_id, q.name),
project AS (
    UPDATE projects p SET halt_no = p.halt_no + 1, sweep_until = clock_timestamp() + make_interval(secs => %(seconds)s::float8)
      FROM queue WHERE p.id = queue.project_id)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT CASE WHEN %(paused)s::boolean THEN 'operations.queue_paused' ELSE 'operations.queue_resumed' END, %(me)s::int, queue.project_id,
       jsonb_build_object('queue', queue.name, 'reason', %(reason)s::text) FROM queue;
