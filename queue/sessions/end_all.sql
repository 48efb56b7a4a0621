-- sessions: every live one of a person → ended, but for the one that is kept.
WITH gone AS (
    UPDATE sessions SET ended_at = clock_timestamp()
     WHERE person_id = %(person_id)s::int AND ended_at IS NULL AND hash IS DISTINCT FROM %(kept)s::bytea RETURNING hash),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'session.all_ended', %(by)s::int, jsonb_build_object('person', %(person_id)s::int, 'sessions', count(*)) FROM gone HAVING count(*) > 0)
SELECT count(*)::int AS ended FROM gone;
