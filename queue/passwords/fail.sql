-- events: a wrong password for somebody who exists.
INSERT INTO events (kind, person_id, detail)
SELECT 'session.refused', p.id, jsonb_build_object('address', %(address)s::inet) FROM people p WHERE p.email = %(email)s::text RETURNING id;
