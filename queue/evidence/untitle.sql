-- evidence: titles → the items' keys, a step of a project; what an item was called by may be masked now.
WITH step AS MATERIALIZED (
    SELECT id, idempotency_key FROM items WHERE project_id = %(project_id)s::int AND id > %(after)s::bigint ORDER BY id LIMIT %(limit)s::int),
changed AS (
    UPDATE evidence e SET title = step.idempotency_key FROM step WHERE e.item_id = step.id AND e.title <> step.idempotency_key
    RETURNING e.item_id)
SELECT (SELECT max(id) FROM step) AS last, count(*) AS changed FROM changed;
