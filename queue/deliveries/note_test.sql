-- deliveries: somebody sent a test event.
INSERT INTO events (kind, person_id, project_id, detail)
VALUES ('webhook.tested', %(me)s::int, %(project_id)s::int, jsonb_build_object('webhook_id', %(webhook_id)s::text, 'status', %(status)s::int));
