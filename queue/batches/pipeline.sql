-- batches: none → open: the one of a project's messages, made with the first of them. Nothing comes where another makes it just now: run again.
WITH known AS MATERIALIZED (SELECT b.id FROM batches b WHERE b.project_id = %(project_id)s::int AND b.pipeline),
made AS (
    INSERT INTO batches (project_id, created_by, pipeline) SELECT %(project_id)s::int, %(by)s::int, true WHERE NOT EXISTS (SELECT FROM known)
        ON CONFLICT (project_id) WHERE pipeline DO NOTHING
    RETURNING id)
SELECT id AS batch_id FROM known UNION ALL SELECT id FROM made;
