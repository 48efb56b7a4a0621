-- payouts: a person's lines, newest first, each with what it is for and the line that takes from it.
SELECT o.id, o.assignment_id, o.amount_minor, o.currency, o.reverses, b.id AS reversed_by, o.why, o.created_at, a.item_id, p.name AS project, i.idempotency_key,
       COALESCE(e.title, '') AS title, CASE t.kind WHEN 'gold' THEN 'review' ELSE t.kind END AS kind
  FROM payouts o JOIN assignments a ON a.id = o.assignment_id JOIN tasks t ON t.id = a.task_id JOIN projects p ON p.id = t.project_id JOIN items i ON i.id = a.item_id
  LEFT JOIN evidence e ON e.item_id = i.id AND e.version = a.evidence_version
  LEFT JOIN payouts b ON b.reverses = o.id
 WHERE o.person_id = %(person_id)s::int AND o.id < %(before)s::bigint AND o.created_at >= %(since)s::timestamptz AND o.created_at < %(until)s::timestamptz
 ORDER BY o.id DESC LIMIT %(limit)s::int;
