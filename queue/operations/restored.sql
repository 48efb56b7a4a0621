-- restore: the desk begins drained, so that nothing goes out before somebody has looked; on record. The programs of the lost desk are not this one's.
WITH lost AS (DELETE FROM processes),
pools AS (DELETE FROM pipeline_workers),
drained AS (
    INSERT INTO drains (draining, person_id, reason)
    VALUES (true, %(me)s::int, 'Restored from a backup: resume when you have looked') RETURNING id)
INSERT INTO events (kind, person_id, detail) SELECT 'operations.restored', %(me)s::int, %(detail)s::jsonb FROM drained;
