-- tombstones: those of a project's items in a range, as of a version, with whose looks they take back.
SELECT t.item_id, d.version, t.decision_id, t.status, t.why, r.person_id, r.since, r.looks_to, r.reason
  FROM tombstones t JOIN retractions r ON r.id = t.retraction_id JOIN datasets d ON d.id = r.dataset_id
 WHERE t.item_id > %(after)s::bigint AND t.item_id <= %(last)s::bigint AND r.project_id = %(project_id)s::int AND d.version <= %(version)s::int
 ORDER BY t.item_id, t.retraction_id;
