-- signing_keys: a new one signs from now on; the old ones are kept.
INSERT INTO signing_keys (id, public_key, sealed) VALUES (%(id)s::text, %(public_key)s::text, %(sealed)s::bytea);
