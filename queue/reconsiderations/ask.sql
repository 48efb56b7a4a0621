-- reconsiderations: a reviewer asks a lead to look at a decision of theirs again, once. No row: not theirs, or asked before.
WITH asked AS (
    INSERT INTO reconsiderations (decision_id, person_id, note)
    SELECT d.id, d.person_id, %(note)s::text FROM decisions d
     WHERE d.id = %(decision_id)s::bigint AND d.person_id = %(me)s::int AND d.assignment_id IS NOT NULL
        ON CONFLICT (decision_id) DO NOTHING
    RETURNING decision_id),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id)
    SELECT 'decision.reconsider_asked', %(me)s::int, d.project_id, d.item_id, d.task_id, d.id FROM asked JOIN decisions d ON d.id = asked.decision_id)
SELECT decision_id FROM asked;
