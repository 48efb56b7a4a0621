-- evidence: an item's newest published version under the rules of now; both stay until the transaction ends.
SELECT e.item_id, e.version, e.fields, p.shown_version, v.rules -> 'show' AS show
  FROM items i JOIN projects p ON p.id = i.project_id JOIN evidence e ON e.item_id = i.id AND e.version = i.evidence_version
  JOIN project_versions v ON v.project_id = p.id AND v.version = p.shown_version
 WHERE i.id = %(item_id)s::bigint
   FOR SHARE OF i, p;
