-- people: one, by number.
SELECT id, name, email, role, customer_id, program, pseudonym, disabled_at FROM people WHERE id = %(person_id)s::int;
