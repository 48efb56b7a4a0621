-- decisions: the newest outcomes of a project, or of a batch of it, for a page that shows them as they settle.
SELECT d.id AS decision_id, d.item_id, i.idempotency_key, d.outcome, d.answer, d.reason_code, d.supersedes, d.created_at AS decided_at
  FROM (SELECT d.* FROM decisions d WHERE d.project_id = %(project_id)s::int AND d.outcome IS NOT NULL ORDER BY d.id DESC LIMIT 2000) d JOIN items i ON i.id = d.item_id
 WHERE %(batch_id)s::bigint IS NULL OR i.batch_id = %(batch_id)s::bigint
 ORDER BY d.id DESC LIMIT %(limit)s::int;
