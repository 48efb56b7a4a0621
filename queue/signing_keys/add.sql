-- signing_keys: a new one signs what is decided from some seconds ahead on; the old ones are kept.
INSERT INTO signing_keys (id, public_key, sealed, created_at)
VALUES (%(id)s::text, %(public_key)s::text, %(sealed)s::bytea, clock_timestamp() + make_interval(secs => %(ahead)s::float8));
