-- batch_decisions: whether one waits for a worker.
SELECT EXISTS (
    SELECT FROM batch_decisions b
     WHERE b.state IN ('gathering', 'sampling', 'deciding', 'undoing', 'dropping')
       AND (b.state <> 'sampling' OR b.touched_at < clock_timestamp() - make_interval(secs => %(lapse)s::float8)
            OR EXISTS (SELECT FROM projects p WHERE p.id = b.project_id AND p.cancelled_at IS NOT NULL))) AS waits;
