-- operator_alerts: none → raised, once, whichever publisher sees it first; told to the webhook, where there is one, and to every operator with an address.
WITH raised AS (
    INSERT INTO operator_alerts (name, labels, severity, summary, description)
    VALUES (%(name)s::text, %(labels)s::text, %(severity)s::text, %(summary)s::text, %(description)s::text)
        ON CONFLICT (name, labels) WHERE cleared_at IS NULL DO NOTHING
    RETURNING id, name, labels),
told AS (
    INSERT INTO operator_notices (alert_id, over, person_id)
    SELECT raised.id, false, who.person_id
      FROM raised, (SELECT NULL::int AS person_id WHERE %(webhook)s::boolean
                     UNION ALL SELECT p.id FROM people p WHERE p.role = 'operator' AND p.disabled_at IS NULL AND p.email IS NOT NULL) who)
INSERT INTO events (kind, person_id, detail)
SELECT 'operations.alert_raised', %(me)s::int, jsonb_build_object('alert', name, 'labels', labels, 'id', id) FROM raised;
