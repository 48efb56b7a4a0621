-- uploads: none → kept. The object lies in the store already.
INSERT INTO uploads (public_id, person_id, customer_id, name, content_type, size, sha256, object_key)
SELECT %(public_id)s::uuid, me.id, me.customer_id, %(name)s::text, %(content_type)s::text, %(size)s::bigint, %(sha256)s::bytea, %(object_key)s::text
  FROM people me WHERE me.id = %(person_id)s::int
RETURNING public_id, name, content_type, size, sha256, object_key;
