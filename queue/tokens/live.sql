-- tokens: a person's live ones.
SELECT id, created_at FROM tokens WHERE person_id = %(person_id)s::int AND revoked_at IS NULL ORDER BY id;
