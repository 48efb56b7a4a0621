-- decisions: what the caller decided since midnight (UTC), newest first, with what became of it.
SELECT d.id AS decision_id, d.item_id, d.task_id, p.name AS project, d.project_id, d.project_version, COALESCE(e.title, '') AS title, i.idempotency_key, d.verdict, d.answer,
       CASE WHEN t.kind = 'gold' AND p.wanted = 1 THEN COALESCE(d.verdict, 'answer') ELSE d.outcome END AS outcome, r.label AS reason, d.note, d.created_at, CASE t.kind WHEN 'gold' THEN 'review' ELSE t.kind END AS kind, extract(epoch FROM d.created_at - a.claimed_at)::float8 AS seconds,
       (SELECT later.id FROM decisions later WHERE later.supersedes = d.id) AS superseded_by,
       c.note AS asked, c.asked_at, c.answer AS answered, c.answered_at
  FROM decisions d JOIN assignments a ON a.id = d.assignment_id JOIN tasks t ON t.id = d.task_id JOIN projects p ON p.id = d.project_id
  JOIN items i ON i.id = d.item_id JOIN reason_codes r ON r.project_id = d.project_id AND r.code = d.reason_code
  LEFT JOIN evidence e ON e.item_id = d.item_id AND e.version = d.evidence_version
  LEFT JOIN reconsiderations c ON c.decision_id = d.id
 WHERE d.person_id = %(me)s::int AND (d.created_at >= date_trunc('day', clock_timestamp()) OR c.answered_at >= date_trunc('day', clock_timestamp()))
 ORDER BY d.id DESC LIMIT 500;
