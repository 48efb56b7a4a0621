-- projects: what intake must know of those that messages name.
SELECT p.id, p.customer_id, p.cancelled_at IS NOT NULL AS cancelled, v.rules #>> '{question,ask}' AS ask
  FROM projects p JOIN project_versions v ON v.project_id = p.id AND v.version = p.version
 WHERE p.id = ANY (%(ids)s::int[]);
