-- datasets: the version that was asked for under this key.
SELECT id FROM datasets WHERE project_id = %(project_id)s::int AND idempotency_key = %(idempotency_key)s::text;
