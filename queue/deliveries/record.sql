-- deliveries: a call was made, and this is its answer.
INSERT INTO deliveries (effect_id, outbox_id, webhook_id, attempt, status, error, excerpt, seconds)
VALUES (%(effect_id)s::int, %(outbox_id)s::bigint, %(webhook_id)s::text, %(attempt)s::int, %(status)s::int, %(error)s::text, %(excerpt)s::text, %(seconds)s::float8);
