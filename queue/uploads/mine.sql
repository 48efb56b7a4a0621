-- uploads: one that a person sent themselves.
SELECT public_id, name, content_type, size, sha256, object_key FROM uploads WHERE public_id = %(upload)s::uuid AND person_id = %(person_id)s::int;
