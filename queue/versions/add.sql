-- project_versions: one more, and why.
INSERT INTO project_versions (project_id, version, shown_version, rules, created_by, why)
VALUES (%(project_id)s::int, %(version)s::int, %(shown_version)s::int, %(rules)s::jsonb, %(me)s::int, %(why)s::text);
