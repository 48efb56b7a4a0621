-- notices: a project's webhook is told something, once for each key; it goes out through the outbox. No row: it was told before.
WITH told AS (
    INSERT INTO notices (project_id, kind, key, body, alert_id, created_at)
    VALUES (%(project_id)s::int, %(kind)s::text, %(key)s::text, %(body)s::jsonb, %(alert_id)s::bigint, COALESCE(%(at)s::timestamptz, clock_timestamp()))
        ON CONFLICT (project_id, key) DO NOTHING
    RETURNING id, project_id, kind),
queued AS (
    INSERT INTO outbox (notice_id, effect_id)
    SELECT told.id, e.id FROM told JOIN effects e ON e.project_id = told.project_id AND e.kind = 'webhook' AND e.switched_off IS NULL),
noted AS (
    INSERT INTO events (kind, person_id, project_id, detail) SELECT 'notice.put', 0, project_id, jsonb_build_object('notice', id, 'kind', kind) FROM told)
SELECT id FROM told;
