-- datasets: what was asked for.
SELECT d.project_id, p.name AS project, d.version, d.kind, d.parent_id, parent.version AS parent_version, d.up_to, d.created_at
  FROM datasets d JOIN projects p ON p.id = d.project_id LEFT JOIN datasets parent ON parent.id = d.parent_id
 WHERE d.id = %(dataset_id)s::bigint;
