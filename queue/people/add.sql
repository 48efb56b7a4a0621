-- people: none → enabled. A customer's first person brings the customer.
WITH customer AS (
    INSERT INTO customers (name) SELECT %(customer)s::text WHERE %(customer)s::text IS NOT NULL
        ON CONFLICT (name) DO NOTHING RETURNING id),
person AS (
    INSERT INTO people (name, email, role, program, customer_id)
    SELECT %(name)s::text, %(email)s::text, %(role)s::text, %(program)s::boolean,
           COALESCE((SELECT id FROM customer), (SELECT id FROM customers WHERE name = %(customer)s::text))
    RETURNING *),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'person.added', %(by)s::int, jsonb_build_object('person', id, 'name', name, 'role', role) FROM person)
SELECT id, name, email, role, customer_id, program, pseudonym, disabled_at FROM person;
