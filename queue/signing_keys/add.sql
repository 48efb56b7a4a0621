-- signing_keys: a new one signs what is decided from some seconds ahead on; the old ones are kept.
WITH added AS (
    INSERT INTO signing_keys (id, public_key, sealed, created_at)
    VALUES (%(id)s::text, %(public_key)s::text, %(sealed)s::bytea, clock_timestamp() + make_interval(secs => %(ahead)s::float8)) RETURNING id)
INSERT INTO events (kind, person_id, detail)
SELECT 'operations.signing_key_made', %(me)s::int, jsonb_build_object('key', id, 'reason', %(reason)s::text) FROM added;
