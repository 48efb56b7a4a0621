-- login_attempts: it was the right password; failures under the name no longer count. Rows that are past counting go, a few at a time.
WITH forgotten AS (
    DELETE FROM login_attempts WHERE NOT ok AND email = %(email)s::text),
old AS (
    DELETE FROM login_attempts WHERE id IN (SELECT id FROM login_attempts WHERE at < clock_timestamp() - interval '1 day' ORDER BY at LIMIT 1000))
INSERT INTO login_attempts (email, address, ok) VALUES (%(email)s::text, %(address)s::inet, true) RETURNING id;
