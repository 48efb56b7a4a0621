-- people: how many live tokens and sessions there are, everybody's or those of one name.
SELECT (SELECT count(*)::int FROM tokens t JOIN people p ON p.id = t.person_id WHERE t.revoked_at IS NULL AND (%(name)s::text IS NULL OR p.name = %(name)s::text)) AS tokens,
       (SELECT count(*)::int FROM sessions s JOIN people p ON p.id = s.person_id WHERE s.ended_at IS NULL AND (%(name)s::text IS NULL OR p.name = %(name)s::text)) AS sessions;
