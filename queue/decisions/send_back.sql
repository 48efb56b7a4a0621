-- tasks: an escalation → returned, with another round of review whose count starts again at 0. Who gave an answer before does not look again.
WITH lease AS MATERIALIZED (SELECT * FROM assignments WHERE id = %(assignment_id)s::bigint FOR NO KEY UPDATE),
fence AS MATERIALIZED (
    SELECT lease.*, clock_timestamp() AS at FROM lease WHERE token = %(lease_token)s::uuid AND person_id = %(me)s::int),
task AS MATERIALIZED (
    SELECT t.id FROM fence JOIN tasks t ON t.id = fence.task_id
     WHERE fence.ended_at IS NULL AND fence.lease_expires > fence.at AND t.ended_as IS NULL AND t.cancelled_at IS NULL
       AND t.kind IN ('escalation', 'adjudication')
       FOR NO KEY UPDATE OF t),
ended AS (
    UPDATE assignments a SET ended_at = fence.at, end_reason = 'released' FROM fence, task WHERE a.id = fence.id RETURNING a.id, a.item_id, a.ended_at),
returned AS (
    UPDATE tasks t SET ended_as = 'returned', ended_at = ended.ended_at, seen_by = array_remove(t.seen_by, %(me)s::int)
      FROM task, ended WHERE t.id = task.id RETURNING t),
raised AS (
    SELECT raise_task(returned.t, 'review', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                      ARRAY(SELECT DISTINCT d.person_id FROM decisions d
                             WHERE d.item_id = i.id AND d.assignment_id IS NOT NULL AND d.verdict IS DISTINCT FROM 'escalate'), 'returned', %(me)s::int) AS task_id
      FROM returned JOIN items i ON i.id = (returned.t).item_id JOIN projects p ON p.id = i.project_id),
cleared AS (
    DELETE FROM drafts d USING task WHERE d.task_id = task.id AND d.person_id = %(me)s::int),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, assignment_id, detail)
    SELECT 'task.returned', %(me)s::int, (returned.t).project_id, ended.item_id, (returned.t).id, ended.id, jsonb_build_object('note', %(note)s::text)
      FROM ended CROSS JOIN returned)
SELECT task_id FROM raised;
