-- sessions: none → live.
WITH session AS (
    INSERT INTO sessions (hash, person_id, address, agent, expires_at)
    SELECT %(hash)s::bytea, p.id, %(address)s::inet, %(agent)s::text, clock_timestamp() + make_interval(secs => %(seconds)s::int)
      FROM people p WHERE p.id = %(person_id)s::int AND p.disabled_at IS NULL
    RETURNING person_id, address),
noted AS (
    INSERT INTO events (kind, person_id, detail) SELECT 'session.began', person_id, jsonb_build_object('address', address) FROM session)
SELECT person_id FROM session;
