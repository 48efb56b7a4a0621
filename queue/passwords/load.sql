-- passwords: the hash to check against, for somebody who may sign in.
SELECT p.id AS person_id, w.hash FROM people p JOIN passwords w ON w.person_id = p.id
 WHERE p.email = %(email)s::text AND p.disabled_at IS NULL;
