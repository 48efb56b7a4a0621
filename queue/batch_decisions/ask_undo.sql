-- batch_undo_asks: a lead asks to have an outcome of a batch decision taken back; on record with the undo or not at all.
INSERT INTO batch_undo_asks (batch_id, decision_id, asked_by)
SELECT e.batch_id, e.decision_id, me.id FROM batch_ends e JOIN people me ON me.id = %(me)s::int AND me.role = 'lead' AND me.disabled_at IS NULL
 WHERE e.batch_id = %(batch_id)s::bigint AND e.decision_id = %(decision_id)s::bigint AND e.came_to = 'decided'
    ON CONFLICT DO NOTHING;
