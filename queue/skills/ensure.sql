-- skills: there is one of this name.
INSERT INTO skills (name) VALUES (%(name)s::text) ON CONFLICT (name) DO NOTHING;
