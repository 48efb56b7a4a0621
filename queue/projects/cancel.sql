-- projects: open → cancelled. Its tasks follow by projects/cancel_tasks.
WITH changed AS (
    UPDATE projects SET cancelled_at = clock_timestamp(), halt_no = halt_no + 1, sweep_until = clock_timestamp() + make_interval(secs => %(seconds)s::float8)
     WHERE id = %(project_id)s::int AND cancelled_at IS NULL
    RETURNING id)
INSERT INTO events (kind, person_id, project_id) SELECT 'project.cancelled', %(me)s::int, id FROM changed;
