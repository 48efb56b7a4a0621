-- effects: a project's webhook, new with its secret, or with another address or other outcomes; a change switches it on again.
INSERT INTO effects AS e (project_id, kind, on_outcomes, url, sealed_secret)
VALUES (%(project_id)s::int, 'webhook', %(on)s::text[], %(url)s::text, %(sealed)s::bytea)
    ON CONFLICT (project_id, kind) DO UPDATE
   SET on_outcomes = excluded.on_outcomes, url = excluded.url, switched_off = NULL, failures = 0, rest_until = NULL
 WHERE (e.on_outcomes, e.url) IS DISTINCT FROM (excluded.on_outcomes, excluded.url) OR e.switched_off IS NOT NULL
RETURNING (old.id IS NULL) AS new;
