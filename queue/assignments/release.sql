-- assignments: live → released | skipped; tasks: full → pending, or → escalation at the abandon limit. A skipped task comes to this person last.
WITH lease AS MATERIALIZED (SELECT * FROM assignments WHERE id = %(assignment_id)s::bigint FOR NO KEY UPDATE),
clock AS MATERIALIZED (SELECT clock_timestamp() AS now FROM lease),
ended AS (
    UPDATE assignments a SET ended_at = clock.now, end_reason = CASE WHEN %(skip)s::boolean THEN 'skipped' ELSE 'released' END
      FROM lease, clock
     WHERE a.id = lease.id
       AND lease.token = %(lease_token)s::uuid AND lease.person_id = %(me)s::int AND lease.ended_at IS NULL AND lease.lease_expires > clock.now
    RETURNING a.id, a.task_id, a.item_id, a.person_id, a.end_reason, a.ended_at),
returned AS (
    UPDATE tasks t
       SET seen_by    = array_remove(t.seen_by, ended.person_id),
           skipped_by = CASE WHEN ended.end_reason = 'skipped' THEN t.skipped_by || ended.person_id ELSE t.skipped_by END,
           ended_as   = CASE WHEN at_limit(t) AND t.cancelled_at IS NULL THEN 'abandoned' END,
           ended_at   = CASE WHEN at_limit(t) AND t.cancelled_at IS NULL THEN ended.ended_at END
      FROM ended WHERE t.id = ended.task_id
    RETURNING t),
raised AS (
    SELECT raise_task(returned.t, 'escalation', 'escalation', (returned.t).priority + 10, 1, NULL, (returned.t).price_minor,
                      (returned.t).seen_by || (returned.t).barred, 'abandoned', 0) AS task_id
      FROM returned WHERE (returned.t).ended_as = 'abandoned'),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, assignment_id, detail)
    SELECT 'assignment.' || ended.end_reason, ended.person_id, (returned.t).project_id, ended.item_id, ended.task_id, ended.id,
           jsonb_strip_nulls(jsonb_build_object('reason', %(reason)s::text))
      FROM ended CROSS JOIN returned)
SELECT id AS assignment_id, (SELECT task_id FROM raised) AS escalation_id FROM ended;
