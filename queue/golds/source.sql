-- golds: an item that could become one, and the rules it is asked by.
SELECT i.project_id, p.version AS project_version
  FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = %(item_id)s::bigint AND i.evidence_version > 0 AND NOT i.gold;
