-- projects: one whose open tasks have yet to follow it, and nobody is at that; the caller's for some seconds.
WITH due AS MATERIALIZED (
    SELECT id FROM projects
     WHERE (ranked_version < version OR halted_no < halt_no) AND (sweep_until IS NULL OR sweep_until <= (SELECT clock_timestamp()))
     ORDER BY sweep_until NULLS FIRST LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
UPDATE projects p SET sweep_until = clock_timestamp() + make_interval(secs => %(seconds)s::float8) FROM due WHERE p.id = due.id
RETURNING p.id AS project_id, p.ranked_version < p.version AS unranked, p.halted_no < p.halt_no AS unhalted;
