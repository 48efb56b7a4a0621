-- tokens and sessions: live → over, everybody's or those of one name, on record; the asker's own session may be kept.
WITH person AS MATERIALIZED (SELECT id FROM people WHERE %(name)s::text IS NULL OR name = %(name)s::text),
revoked AS (
    UPDATE tokens t SET revoked_at = clock_timestamp() FROM person WHERE t.person_id = person.id AND t.revoked_at IS NULL RETURNING t.id),
ended AS (
    UPDATE sessions s SET ended_at = clock_timestamp() FROM person WHERE s.person_id = person.id AND s.ended_at IS NULL AND s.hash <> %(kept)s::bytea RETURNING s.hash),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    VALUES ('operations.signed_out', %(me)s::int, jsonb_build_object('of', %(name)s::text, 'reason', %(reason)s::text,
            'tokens', (SELECT count(*) FROM revoked), 'sessions', (SELECT count(*) FROM ended))))
SELECT (SELECT count(*)::int FROM revoked) AS tokens, (SELECT count(*)::int FROM ended) AS sessions;
