-- tokens: who stands behind one. No row: nobody.
SELECT p.id, p.name, p.email, p.role, p.customer_id, p.program, p.pseudonym, p.disabled_at
  FROM tokens k JOIN people p ON p.id = k.person_id
 WHERE k.hash = %(hash)s::bytea AND k.revoked_at IS NULL AND p.disabled_at IS NULL;
