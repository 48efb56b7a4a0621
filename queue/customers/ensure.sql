-- customers: none → known; the one of this name.
INSERT INTO customers AS c (name) VALUES (%(name)s::text)
    ON CONFLICT (name) DO NOTHING;
