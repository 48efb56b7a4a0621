-- batch_decisions: deciding | decided → undoing, by a lead; the effects that still wait are kept from happening in the same statement.
WITH moved AS (
    UPDATE batch_decisions SET state = 'undoing', looked_to = 0, undone_by = %(me)s::int, touched_at = clock_timestamp()
     WHERE id = %(batch_id)s::bigint AND (state = 'deciding' OR (state = 'decided' AND undo_until > clock_timestamp()))
    RETURNING id, project_id),
noted AS (
    INSERT INTO events (kind, person_id, project_id, detail)
    SELECT 'batch_decision.undoing', %(me)s::int, project_id, jsonb_build_object('batch_decision', id) FROM moved)
SELECT (SELECT count(*)::int FROM keep_effects(moved.id, NULL)) AS kept FROM moved;
