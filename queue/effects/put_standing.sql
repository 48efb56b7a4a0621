-- effects: a project's outcomes are kept as its items' standings.
INSERT INTO effects (project_id, kind, on_outcomes) VALUES (%(project_id)s::int, 'standing', '{approve,reject,answer,overturn}')
    ON CONFLICT (project_id, kind) DO NOTHING;
