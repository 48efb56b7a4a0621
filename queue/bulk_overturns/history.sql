-- events: each step that it took, who took it and why.
SELECT e.at, e.kind, p.name AS who, COALESCE(e.detail ->> 'why', '') AS why FROM events e JOIN people p ON p.id = e.person_id
 WHERE e.kind LIKE 'bulk_overturn.%%' AND (e.detail ->> 'bulk_overturn')::bigint = %(bulk_id)s::bigint ORDER BY e.id LIMIT 200;
