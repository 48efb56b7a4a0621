-- items: one, for a lead (customer_id null) or the customer whose it is: facts, where it stands, and the outcome in force.
SELECT i.id, p.customer_id, i.project_id, p.name AS project, p.version AS project_version, p.shown_version, i.batch_id, i.idempotency_key, i.source_hash, i.trace_id, i.priority,
       n.key AS partition_key, i.partition_no, i.evidence_version, i.created_at, COALESCE(e.title, '') AS title, t.kind AS task_kind, t.state AS task_state, t.lease_count, kept.name AS kept_for, t.meant_until AS kept_until,
       o.id AS outcome_id, o.outcome, o.verdict, o.answer, o.reason_code, o.created_at AS settled_at, o.evidence_version AS outcome_version, o.project_version AS outcome_rules,
       clock_timestamp() AS server_now
  FROM items i JOIN projects p ON p.id = i.project_id LEFT JOIN partitions n ON n.id = i.partition_id
  LEFT JOIN evidence e ON e.item_id = i.id AND e.version = i.evidence_version
  LEFT JOIN LATERAL (SELECT t.* FROM tasks t WHERE t.item_id = i.id ORDER BY t.id DESC LIMIT 1) t ON true
  LEFT JOIN people kept ON kept.id = t.meant_for AND t.ended_as IS NULL AND t.meant_until > clock_timestamp()
  LEFT JOIN LATERAL (
        SELECT d.* FROM decisions d
         WHERE d.item_id = i.id AND d.outcome IS NOT NULL AND NOT EXISTS (SELECT FROM decisions n WHERE n.supersedes = d.id) ORDER BY d.id DESC LIMIT 1) o ON true
 WHERE i.id = %(item_id)s::bigint AND (%(customer_id)s::int IS NULL OR (p.customer_id = %(customer_id)s::int AND NOT i.gold));
