-- batch_decisions: deciding → decided, with its undo window; undoing → undone; dropping → dropped.
WITH moved AS (
    UPDATE batch_decisions
       SET state = CASE state WHEN 'deciding' THEN 'decided' WHEN 'undoing' THEN 'undone' ELSE 'dropped' END, touched_at = clock_timestamp(),
           undo_until = CASE WHEN state = 'deciding' THEN clock_timestamp() + make_interval(secs => undo_seconds) ELSE undo_until END
     WHERE id = %(batch_id)s::bigint AND state IN ('deciding', 'undoing', 'dropping')
    RETURNING id, project_id, led_by, state)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'batch_decision.' || CASE state WHEN 'dropped' THEN 'given_back' ELSE state END, 0, project_id, jsonb_build_object('batch_decision', id) FROM moved;
