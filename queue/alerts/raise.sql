-- alerts: a project's state has changed: on record once, whichever worker sees it first. No row: somebody else did.
WITH raised AS (
    INSERT INTO alerts (project_id, no, state, was, deadline, miss_probability, eta, eta_low, eta_high, open_items, skill, experts, items)
    VALUES (%(project_id)s::int, %(no)s::int, %(state)s::text, %(was)s::text, %(deadline)s::timestamptz, %(miss_probability)s::float8, %(eta)s::timestamptz,
            %(eta_low)s::timestamptz, %(eta_high)s::timestamptz, %(open_items)s::int, %(skill)s::text, %(experts)s::int, %(items)s::int)
        ON CONFLICT ON CONSTRAINT alerts_in_order DO NOTHING
    RETURNING id, project_id, at),
noted AS (
    INSERT INTO events (kind, person_id, project_id, detail)
    SELECT 'project.alert', %(me)s::int, project_id, jsonb_build_object('alert_id', id, 'state', %(state)s::text, 'was', %(was)s::text) FROM raised)
SELECT id, at FROM raised;
