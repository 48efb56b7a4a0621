-- tokens: none → live.
WITH token AS (
    INSERT INTO tokens (person_id, hash)
    SELECT p.id, %(hash)s::bytea FROM people p WHERE p.id = %(person_id)s::int AND p.disabled_at IS NULL AND p.role <> 'system'
    RETURNING id, person_id),
noted AS (
    INSERT INTO events (kind, person_id, detail) SELECT 'token.made', %(by)s::int, jsonb_build_object('person', person_id, 'token', id) FROM token)
SELECT id AS token_id FROM token;
