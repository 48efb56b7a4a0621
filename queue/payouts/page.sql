-- payouts: a person's lines, newest first, each with what it is for and the line that takes from it. A month's line is for golds, of no assignment.
SELECT o.id, o.assignment_id, o.amount_minor, o.currency, o.reverses, b.id AS reversed_by, o.why, o.created_at, a.item_id, p.name AS project, i.idempotency_key,
       COALESCE(e.title, '') AS title, CASE COALESCE(t.kind, 'golds') WHEN 'gold' THEN 'review' ELSE COALESCE(t.kind, 'golds') END AS kind
  FROM payouts o LEFT JOIN assignments a ON a.id = o.assignment_id LEFT JOIN tasks t ON t.id = a.task_id LEFT JOIN items i ON i.id = a.item_id
  JOIN projects p ON p.id = COALESCE(t.project_id, o.project_id)
  LEFT JOIN evidence e ON e.item_id = i.id AND e.version = a.evidence_version
  LEFT JOIN payouts b ON b.reverses = o.id
 WHERE o.person_id = %(person_id)s::int AND o.id < %(before)s::bigint AND o.created_at >= %(since)s::timestamptz AND o.created_at < %(until)s::timestamptz
 ORDER BY o.id DESC LIMIT %(limit)s::int;
