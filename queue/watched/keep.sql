-- watched_objects: new → taken, with what came of it.
INSERT INTO watched_objects (project_id, key, etag, size, batch_id, accepted, repeated, refused, detail)
VALUES (%(project_id)s::int, %(key)s::text, %(etag)s::text, %(size)s::bigint, %(batch_id)s::bigint, %(accepted)s::int, %(repeated)s::int, %(refused)s::int,
        %(detail)s::text)
    ON CONFLICT DO NOTHING;
