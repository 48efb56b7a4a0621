INSERT INTO effects (project_id, kind, on_outcomes, url, sealed_secret) VALUES (%(project)s, %(kind)s, %(on)s, %(url)s, %(sealed)s) RETURNING id
