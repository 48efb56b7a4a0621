-- alert_notices: pending → somebody's for so many seconds. Attempts count here, so that a kill counts.
WITH found AS MATERIALIZED (
    SELECT id FROM alert_notices WHERE state = 'pending' AND due <= clock_timestamp() ORDER BY due LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED),
taken AS (
    UPDATE alert_notices n SET attempts = n.attempts + 1, due = clock_timestamp() + %(seconds)s::float8 * interval '1 s' FROM found WHERE n.id = found.id
    RETURNING n.id, n.alert_id, n.kind, n.person_id, n.attempts, n.created_at)
SELECT t.id AS notice_id, t.alert_id, t.kind, t.attempts AS attempt, t.created_at, m.email, m.name AS person, a.project_id, p.name AS project, a.at, a.state, a.was, a.deadline,
       a.miss_probability, a.eta, a.eta_low, a.eta_high, a.open_items, a.skill, a.experts, a.items
  FROM taken t JOIN alerts a ON a.id = t.alert_id JOIN projects p ON p.id = a.project_id LEFT JOIN people m ON m.id = t.person_id;
