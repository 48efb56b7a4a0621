-- password_links: open → used; the password is set by it, and every session of the person ends. No row: the link is not open (any more).
WITH link AS (
    UPDATE password_links l SET used_at = clock_timestamp() FROM people p
     WHERE l.hash = %(link)s::bytea AND l.used_at IS NULL AND l.expires_at > clock_timestamp() AND p.id = l.person_id AND p.disabled_at IS NULL
    RETURNING l.person_id),
password AS (
    INSERT INTO passwords (person_id, hash) SELECT person_id, %(hash)s::text FROM link
        ON CONFLICT (person_id) DO UPDATE SET hash = excluded.hash, set_at = clock_timestamp()
    RETURNING person_id),
gone AS (
    UPDATE sessions s SET ended_at = clock_timestamp() FROM link WHERE s.person_id = link.person_id AND s.ended_at IS NULL),
noted AS (
    INSERT INTO events (kind, person_id, detail) SELECT 'password.set', person_id, jsonb_build_object('person', person_id, 'by', 'link') FROM password)
SELECT person_id FROM password;
