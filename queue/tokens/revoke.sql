-- tokens: live → revoked.
WITH token AS (
    UPDATE tokens SET revoked_at = clock_timestamp() WHERE id = %(token_id)s::int AND person_id = %(person_id)s::int AND revoked_at IS NULL
    RETURNING id, person_id),
noted AS (
    INSERT INTO events (kind, person_id, detail) SELECT 'token.revoked', %(by)s::int, jsonb_build_object('person', person_id, 'token', id) FROM token)
SELECT id AS token_id FROM token;
