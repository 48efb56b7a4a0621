-- sessions: live → live, seen just now (written once a minute). No row: there is nobody behind this cookie.
WITH found AS MATERIALIZED (
    SELECT s.hash, s.last_seen_at, p.id, p.name, p.email, p.role, p.customer_id, p.program, p.pseudonym, p.disabled_at
      FROM sessions s JOIN people p ON p.id = s.person_id
     WHERE s.hash = %(hash)s::bytea AND s.ended_at IS NULL AND p.disabled_at IS NULL
       AND s.expires_at > clock_timestamp() AND s.last_seen_at > clock_timestamp() - make_interval(secs => %(idle_seconds)s::int)),
seen AS (
    UPDATE sessions s SET last_seen_at = clock_timestamp() FROM found
     WHERE s.hash = found.hash AND NOT %(background)s::boolean AND found.last_seen_at < clock_timestamp() - interval '1 minute')
SELECT id, name, email, role, customer_id, program, pseudonym, disabled_at FROM found;
