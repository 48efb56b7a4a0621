-- people: one, by the name on receipts.
SELECT id, name, email, role, customer_id, program, pseudonym, disabled_at FROM people WHERE pseudonym = %(pseudonym)s::text;
