-- people: one, by name.
SELECT id, name, email, role, customer_id, program, pseudonym, disabled_at FROM people WHERE name = %(name)s::text;
