-- people: a page of them in the order of their names, with what each can do, holds, and when they were last here.
SELECT p.id, p.name, p.email, p.role, p.customer_id, p.program, p.pseudonym, p.disabled_at, c.name AS customer,
       (SELECT COALESCE(jsonb_agg(jsonb_build_object('name', s.name, 'tier', ps.tier, 'status', ps.status) ORDER BY s.name), '[]')
          FROM person_skills ps JOIN skills s ON s.id = ps.skill_id WHERE ps.person_id = p.id) AS skills,
       (SELECT max(s.last_seen_at) FROM sessions s WHERE s.person_id = p.id AND s.ended_at IS NULL) AS seen_at,
       a.item_id, a.lease_expires, clock_timestamp() AS server_now
  FROM people p LEFT JOIN customers c ON c.id = p.customer_id
  LEFT JOIN assignments a ON a.person_id = p.id AND a.ended_at IS NULL
 WHERE p.role <> 'system' AND p.name > %(after)s::text
   AND (%(role)s::text IS NULL OR p.role = %(role)s::text)
   AND (%(search)s::text IS NULL OR p.name ILIKE '%%' || %(search)s::text || '%%' OR p.email ILIKE '%%' || %(search)s::text || '%%')
 ORDER BY p.name LIMIT %(limit)s::int;
