-- effects: a project's letters have a line of their own in the outbox; no outcome wants one.
INSERT INTO effects (project_id, kind, on_outcomes) VALUES (%(project_id)s::int, 'letter', '{}') ON CONFLICT (project_id, kind) DO NOTHING;
