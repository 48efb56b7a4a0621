-- password_links: none → open, for a day. Older links of the same person are void.
WITH void AS (
    UPDATE password_links SET used_at = clock_timestamp() WHERE person_id = %(person_id)s::int AND used_at IS NULL),
link AS (
    INSERT INTO password_links (hash, person_id, created_by, expires_at)
    SELECT %(hash)s::bytea, p.id, %(by)s::int, clock_timestamp() + make_interval(secs => %(seconds)s::int)
      FROM people p WHERE p.id = %(person_id)s::int AND p.disabled_at IS NULL AND p.email IS NOT NULL
    RETURNING person_id),
noted AS (
    INSERT INTO events (kind, person_id, detail) SELECT 'password.link_made', %(by)s::int, jsonb_build_object('person', person_id) FROM link)
SELECT person_id FROM link;
