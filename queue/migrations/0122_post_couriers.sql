-- What was told of alerts, and what waits to be told, goes on as notices in the outbox, under the same ids; the table of its own goes.
INSERT INTO effects (project_id, kind, on_outcomes)
SELECT DISTINCT a.project_id, 'letter', '{}'::text[] FROM alert_notices n JOIN alerts a ON a.id = n.alert_id WHERE n.kind = 'email'
    ON CONFLICT (project_id, kind) DO NOTHING;

INSERT INTO notices (project_id, kind, key, body, created_at, alert_id, person_id)
SELECT a.project_id, 'deadline.changed', 'alert ' || a.id || COALESCE(' to ' || n.person_id, ''),
       jsonb_build_object(
           'alert_id', a.id, 'project_id', a.project_id, 'project', p.name, 'state', a.state, 'was', a.was, 'deadline', said.deadline,
           'miss_probability', a.miss_probability, 'eta', said.eta, 'eta_low', said.eta_low, 'eta_high', said.eta_high, 'open', a.open_items,
           'help', jsonb_build_object('skill', a.skill, 'experts', a.experts, 'items', a.items)),
       a.at, a.id, n.person_id
  FROM alert_notices n JOIN alerts a ON a.id = n.alert_id JOIN projects p ON p.id = a.project_id
 CROSS JOIN LATERAL (
        SELECT to_char(a.deadline AT TIME ZONE 'UTC', form) AS deadline, to_char(a.eta AT TIME ZONE 'UTC', form) AS eta,
               to_char(a.eta_low AT TIME ZONE 'UTC', form) AS eta_low, to_char(a.eta_high AT TIME ZONE 'UTC', form) AS eta_high
          FROM (VALUES ('YYYY-MM-DD"T"HH24:MI:SS"Z"')) f (form)) said
 ORDER BY n.id;

INSERT INTO outbox (notice_id, effect_id, state, attempts, due, push_due, first_tried, last_error, created_at, done_at)
SELECT t.id, e.id, n.state, n.attempts, n.due, n.due, CASE WHEN n.attempts > 0 THEN n.created_at END, n.last_error, n.created_at, n.done_at
  FROM alert_notices n
  JOIN notices t ON t.alert_id = n.alert_id AND t.person_id IS NOT DISTINCT FROM n.person_id
  JOIN effects e ON e.project_id = t.project_id AND e.kind = CASE n.kind WHEN 'email' THEN 'letter' ELSE n.kind END
 ORDER BY n.id;

DROP TABLE alert_notices;
