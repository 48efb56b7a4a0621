WITH decision AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, shown_version, evidence_version,
                           evidence_hash, reason_code)
    SELECT item_id, task_id, project_id, 1, 0, 'overturn', 'reject', id, 1, evidence_version, evidence_hash, 'ok' FROM decisions WHERE id = %(decision)s
    RETURNING id, project_id),
queued AS (
    INSERT INTO outbox (decision_id, effect_id)
    SELECT d.id, e.id FROM decision d JOIN effects e USING (project_id) WHERE 'overturn' = ANY (e.on_outcomes))
SELECT id FROM decision
