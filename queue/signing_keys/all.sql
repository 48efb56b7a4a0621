-- signing_keys: every key that ever signed, newest first.
SELECT id, public_key, created_at FROM signing_keys ORDER BY created_at DESC;
