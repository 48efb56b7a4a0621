-- queues, reason_codes, people: what the filters of a project offer; a few hundred of each at most.
(SELECT 'queue' AS filter, q.name AS value, q.name AS label FROM queues q WHERE q.project_id = %(project_id)s::int ORDER BY q.id LIMIT 200)
UNION ALL
(SELECT 'reason', r.code, r.label FROM reason_codes r WHERE r.project_id = %(project_id)s::int ORDER BY r.label LIMIT 300)
UNION ALL
(SELECT 'reviewer', p.id::text, p.name FROM people p WHERE p.role IN ('reviewer', 'lead') ORDER BY p.name LIMIT 300);
