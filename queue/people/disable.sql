-- people: enabled → disabled; assignments: live → revoked; tasks: full → pending, or → escalation at the abandon limit; kept for them → pending. Sessions and tokens end.
-- Run again on somebody disabled it ends what a request in flight had just begun.
WITH person AS MATERIALIZED (
    UPDATE people SET disabled_at = COALESCE(disabled_at, clock_timestamp()) WHERE id = %(person_id)s::int AND role <> 'system' RETURNING id),
lease AS MATERIALIZED (
    SELECT a.id FROM assignments a JOIN person ON person.id = a.person_id WHERE a.ended_at IS NULL FOR NO KEY UPDATE OF a),
ended AS (
    UPDATE assignments a SET ended_at = greatest(clock_timestamp(), a.claimed_at), end_reason = 'revoked'
      FROM lease WHERE a.id = lease.id AND a.ended_at IS NULL
    RETURNING a.id, a.task_id, a.item_id, a.person_id, a.ended_at),
returned AS (
    UPDATE tasks t
       SET seen_by  = array_remove(t.seen_by, ended.person_id),
           ended_as = CASE WHEN at_limit(t) AND t.cancelled_at IS NULL THEN 'abandoned' END,
           ended_at = CASE WHEN at_limit(t) AND t.cancelled_at IS NULL THEN ended.ended_at END
      FROM ended WHERE t.id = ended.task_id
    RETURNING t),
raised AS (
    SELECT raise_task(returned.t, 'escalation', 'escalation', (returned.t).priority + 10, 1, NULL, (returned.t).price_minor,
                      (returned.t).seen_by || (returned.t).barred, 'abandoned', 0) AS task_id
      FROM returned WHERE (returned.t).ended_as = 'abandoned'),
freed AS (                                                             -- what leads kept for them is anybody's
    UPDATE tasks t SET meant_for = NULL, meant_until = NULL FROM person WHERE t.meant_for = person.id RETURNING t.id, t.item_id, t.project_id),
left_sessions AS (
    UPDATE sessions s SET ended_at = clock_timestamp() FROM person WHERE s.person_id = person.id AND s.ended_at IS NULL RETURNING s.hash),
left_tokens AS (
    UPDATE tokens k SET revoked_at = clock_timestamp() FROM person WHERE k.person_id = person.id AND k.revoked_at IS NULL RETURNING k.id),
left_links AS (
    UPDATE password_links l SET used_at = clock_timestamp() FROM person WHERE l.person_id = person.id AND l.used_at IS NULL RETURNING l.hash),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, assignment_id, detail)
    SELECT 'assignment.revoked', ended.person_id, (returned.t).project_id, ended.item_id, ended.task_id, ended.id, jsonb_build_object('by', %(by)s::int)
      FROM ended JOIN returned ON (returned.t).id = ended.task_id
    UNION ALL
    SELECT 'item.unassigned', %(by)s::int, freed.project_id, freed.item_id, freed.id, NULL, jsonb_build_object('to', %(person_id)s::int) FROM freed
    UNION ALL
    SELECT 'person.disabled', %(by)s::int, NULL, NULL, NULL, NULL,
           jsonb_build_object('person', id, 'sessions', (SELECT count(*) FROM left_sessions), 'tokens', (SELECT count(*) FROM left_tokens),
                              'links', (SELECT count(*) FROM left_links)) FROM person)
SELECT person.id AS person_id, (SELECT item_id FROM ended) AS item_id, (SELECT task_id FROM raised) AS escalation_id,
       (SELECT count(*) FROM left_sessions) AS sessions, (SELECT count(*) FROM left_tokens) AS tokens
  FROM person;
