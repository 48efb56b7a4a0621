-- projects: open ↔ paused. Its tasks follow by projects/pause_tasks.
WITH changed AS (
    UPDATE projects SET paused_at = CASE WHEN %(paused)s::boolean THEN clock_timestamp() END, halt_no = halt_no + 1,
                        sweep_until = clock_timestamp() + make_interval(secs => %(seconds)s::float8)
     WHERE id = %(project_id)s::int AND (paused_at IS NOT NULL) <> %(paused)s::boolean
    RETURNING id)
INSERT INTO events (kind, person_id, project_id)
SELECT CASE WHEN %(paused)s::boolean THEN 'project.paused' ELSE 'project.resumed' END, %(me)s::int, id FROM changed;
