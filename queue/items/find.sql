-- items: the one under an idempotency key.
SELECT id AS item_id FROM items WHERE project_id = %(project_id)s::int AND idempotency_key = %(idempotency_key)s::text AND NOT gold;
