-- notices: a letter of an alert to each of the customer's people and of the leads who has an address, once; they go out through the outbox.
WITH told AS (
    INSERT INTO notices (project_id, kind, key, body, alert_id, person_id, created_at)
    SELECT p.id, %(kind)s::text, %(key)s::text || ' to ' || m.id, %(body)s::jsonb, %(alert_id)s::bigint, m.id, %(at)s::timestamptz
      FROM projects p JOIN people m ON m.role = 'lead' OR m.role = 'customer' AND m.customer_id = p.customer_id
     WHERE p.id = %(project_id)s::int AND m.email IS NOT NULL AND m.disabled_at IS NULL AND NOT m.program
        ON CONFLICT (project_id, key) DO NOTHING
    RETURNING id, project_id)
INSERT INTO outbox (notice_id, effect_id) SELECT told.id, e.id FROM told JOIN effects e ON e.project_id = told.project_id AND e.kind = 'letter';
