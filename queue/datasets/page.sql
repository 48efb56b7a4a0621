-- datasets: a project's versions, the newest first, those below one.
SELECT d.id, d.project_id, p.name AS project, c.name AS customer, d.version, parent.version AS parent_version, d.kind, d.created_at, CASE WHEN who.customer_id IS NULL THEN who.pseudonym ELSE who.name END AS requested_by,
       w.state, w.step, w.step_done, w.step_total, w.last_error, m.rows, m.counts, m.sha256, m.made_at, r.id AS retraction_id, r.reason,
       (SELECT COALESCE(jsonb_agg(jsonb_build_object('by', a.name, 'at', k.at) ORDER BY k.at), '[]')
          FROM dataset_acks k JOIN people a ON a.id = k.person_id WHERE k.dataset_id = d.id) AS acknowledged
  FROM datasets d JOIN projects p ON p.id = d.project_id JOIN customers c ON c.id = p.customer_id JOIN people who ON who.id = d.requested_by
  JOIN dataset_work w ON w.dataset_id = d.id LEFT JOIN datasets parent ON parent.id = d.parent_id LEFT JOIN dataset_manifests m ON m.dataset_id = d.id
  LEFT JOIN retractions r ON r.dataset_id = d.id
 WHERE d.project_id = %(project_id)s::int AND d.version < %(before)s::int
 ORDER BY d.version DESC LIMIT %(limit)s::int;
