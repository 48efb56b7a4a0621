-- evidence: the names of all fields of a project's items, as they are newest.
SELECT DISTINCT field
  FROM items i JOIN evidence e ON e.item_id = i.id AND e.version = i.evidence_version CROSS JOIN unnest(e.fields) field
 WHERE i.project_id = %(project_id)s::int AND NOT i.gold
 ORDER BY field;
