-- effects: a webhook is used again, by an operator; what waited for it is due.
WITH switched AS (
    UPDATE effects SET switched_off = NULL, failures = 0, rest_until = NULL
     WHERE project_id = %(project_id)s::int AND kind = 'webhook' AND switched_off IS NOT NULL
    RETURNING project_id, old.switched_off)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'webhook.switched_on', %(me)s::int, project_id, jsonb_build_object('was_off_because', switched_off) FROM switched;
