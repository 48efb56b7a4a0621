-- password_links: whose it is, while it is open. Looking does not use it up.
SELECT p.id, p.name, p.email, p.role, p.customer_id, p.program, p.pseudonym, p.disabled_at
  FROM password_links l JOIN people p ON p.id = l.person_id
 WHERE l.hash = %(hash)s::bytea AND l.used_at IS NULL AND l.expires_at > clock_timestamp() AND p.disabled_at IS NULL;
