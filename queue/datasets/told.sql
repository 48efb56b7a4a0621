-- datasets: what a customer's webhook is told of a delivered version.
SELECT d.id AS dataset_id, d.project_id, p.name AS project, d.version, parent.version AS parent_version, d.kind, m.rows, m.counts, m.sha256, r.reason
  FROM datasets d JOIN projects p ON p.id = d.project_id JOIN dataset_manifests m ON m.dataset_id = d.id
  LEFT JOIN datasets parent ON parent.id = d.parent_id LEFT JOIN retractions r ON r.dataset_id = d.id
 WHERE d.id = %(dataset_id)s::bigint;
