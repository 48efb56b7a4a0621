-- login_attempts: one more, counted as a failure until it succeeds.
INSERT INTO login_attempts (email, address, ok) VALUES (%(email)s::text, %(address)s::inet, false) RETURNING id;
