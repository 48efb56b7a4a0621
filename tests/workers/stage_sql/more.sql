-- As many outcomes again for each one that there is, one in so many of them waiting.
WITH decision AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, shown_version, evidence_version, evidence_hash,
                           reason_code)
    SELECT d.item_id, d.task_id, d.project_id, 1, 0, 'approve', 'approve', 1, 1, d.evidence_hash, 'ok' FROM decisions d, generate_series(1, %(each)s)
    RETURNING id, project_id)
INSERT INTO outbox (decision_id, effect_id, state, done_at)
SELECT d.id, e.id, w.state, CASE w.state WHEN 'done' THEN now() END
  FROM decision d JOIN effects e USING (project_id)
 CROSS JOIN LATERAL (SELECT CASE WHEN d.id %% %(in)s = 0 THEN 'pending' ELSE 'done' END AS state) w
