-- passwords: the same one under newer parameters.
UPDATE passwords SET hash = %(hash)s::text WHERE person_id = %(person_id)s::int AND hash = %(old)s::text RETURNING person_id;
