-- alerts: a project's state has changed: on record once, whichever worker sees it first, with a notice to its webhook and to each mailbox of its customer and of the leads.
WITH raised AS (
    INSERT INTO alerts (project_id, no, state, was, deadline, miss_probability, eta, eta_low, eta_high, open_items, skill, experts, items)
    VALUES (%(project_id)s::int, %(no)s::int, %(state)s::text, %(was)s::text, %(deadline)s::timestamptz, %(miss_probability)s::float8, %(eta)s::timestamptz,
            %(eta_low)s::timestamptz, %(eta_high)s::timestamptz, %(open_items)s::int, %(skill)s::text, %(experts)s::int, %(items)s::int)
        ON CONFLICT ON CONSTRAINT alerts_in_order DO NOTHING
    RETURNING id, project_id),
told AS (
    INSERT INTO alert_notices (alert_id, kind)
    SELECT r.id, 'webhook' FROM raised r JOIN effects e ON e.project_id = r.project_id AND e.kind = 'webhook' AND e.switched_off IS NULL),
written AS (
    INSERT INTO alert_notices (alert_id, kind, person_id)
    SELECT r.id, 'email', m.id
      FROM raised r JOIN projects p ON p.id = r.project_id
      JOIN people m ON m.role = 'lead' OR m.role = 'customer' AND m.customer_id = p.customer_id
     WHERE m.email IS NOT NULL AND m.disabled_at IS NULL AND NOT m.program)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'project.alert', %(me)s::int, project_id, jsonb_build_object('alert_id', id, 'state', %(state)s::text, 'was', %(was)s::text) FROM raised;
