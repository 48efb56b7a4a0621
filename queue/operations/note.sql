-- events: an operator did something that no other statement puts on record.
INSERT INTO events (kind, person_id, detail) VALUES ('operations.' || %(what)s::text, %(me)s::int, %(detail)s::jsonb);
