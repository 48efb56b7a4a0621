-- effects: a webhook's new secret; the former one signs beside it for a day.
WITH rotated AS (
    UPDATE effects SET sealed_secret = %(sealed)s::bytea, sealed_former = sealed_secret, former_until = clock_timestamp() + interval '24 hours'
     WHERE project_id = %(project_id)s::int AND kind = 'webhook'
    RETURNING project_id)
INSERT INTO events (kind, person_id, project_id) SELECT 'webhook.rotated', %(me)s::int, project_id FROM rotated;
