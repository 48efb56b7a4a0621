-- effects: what hears of each overturn in a project.
SELECT e.kind, e.url, e.switched_off FROM effects e
 WHERE e.project_id = %(project_id)s::int AND 'overturn' = ANY (e.on_outcomes) ORDER BY e.kind, e.id;
