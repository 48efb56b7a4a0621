-- sessions: live → ended.
WITH session AS (
    UPDATE sessions SET ended_at = clock_timestamp() WHERE hash = %(hash)s::bytea AND ended_at IS NULL RETURNING person_id),
noted AS (
    INSERT INTO events (kind, person_id) SELECT 'session.ended', person_id FROM session)
SELECT person_id FROM session;
