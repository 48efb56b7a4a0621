-- signing_keys: the key of a decision made at a time: the newest then, or the first of all for what is older than it.
SELECT id, public_key, sealed, created_at
  FROM signing_keys
 ORDER BY created_at <= %(at)s::timestamptz DESC,
          CASE WHEN created_at <= %(at)s::timestamptz THEN created_at END DESC, created_at
 LIMIT 1;
