-- operator_alerts: raised → over, once; told to whoever was told that it began.
WITH cleared AS (
    UPDATE operator_alerts SET cleared_at = clock_timestamp() WHERE id = %(id)s::bigint AND cleared_at IS NULL RETURNING id, name, labels),
told AS (
    INSERT INTO operator_notices (alert_id, over, person_id)
    SELECT cleared.id, true, n.person_id FROM cleared JOIN operator_notices n ON n.alert_id = cleared.id AND NOT n.over)
INSERT INTO events (kind, person_id, detail)
SELECT 'operations.alert_over', %(me)s::int, jsonb_build_object('alert', name, 'labels', labels, 'id', id) FROM cleared;
