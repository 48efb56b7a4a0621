-- passwords: set, or set anew. Every session but the kept one ends, and links that were not used yet are void.
WITH password AS (
    INSERT INTO passwords (person_id, hash) VALUES (%(person_id)s::int, %(hash)s::text)
        ON CONFLICT (person_id) DO UPDATE SET hash = excluded.hash, set_at = clock_timestamp()
    RETURNING person_id),
gone AS (
    UPDATE sessions s SET ended_at = clock_timestamp() FROM password
     WHERE s.person_id = password.person_id AND s.ended_at IS NULL AND s.hash IS DISTINCT FROM %(kept)s::bytea),
void AS (
    UPDATE password_links l SET used_at = clock_timestamp() FROM password WHERE l.person_id = password.person_id AND l.used_at IS NULL),
noted AS (
    INSERT INTO events (kind, person_id, detail) SELECT 'password.set', %(by)s::int, jsonb_build_object('person', person_id) FROM password)
SELECT person_id FROM password;
