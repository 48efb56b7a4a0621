-- reconsiderations: a lead answers one, once. No row: there is none, or it was answered before.
WITH answered AS (
    UPDATE reconsiderations SET answered_by = %(me)s::int, answer = %(answer)s::text, answered_at = clock_timestamp()
     WHERE decision_id = %(decision_id)s::bigint AND answered_at IS NULL
       AND EXISTS (SELECT FROM people WHERE id = %(me)s::int AND role = 'lead' AND disabled_at IS NULL)
    RETURNING decision_id),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id)
    SELECT 'decision.reconsider_answered', %(me)s::int, d.project_id, d.item_id, d.task_id, d.id FROM answered JOIN decisions d ON d.id = answered.decision_id)
SELECT decision_id FROM answered;
