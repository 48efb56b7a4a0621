-- people: leads who could approve it, and how many of its items each had in their hands: those with none may.
SELECT l.id, l.name, COALESCE(h.items, 0)::int AS items
  FROM bulk_overturns b JOIN people l ON l.role = 'lead' AND l.disabled_at IS NULL AND NOT l.program AND l.id <> b.requested_by
  LEFT JOIN LATERAL (SELECT sum(h.items) AS items FROM bulk_overturn_hands h WHERE h.bulk_id = b.id AND h.person_id = l.id) h ON true
 WHERE b.id = %(bulk_id)s::bigint ORDER BY items, l.name LIMIT 50;
