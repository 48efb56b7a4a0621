-- decisions: one, with what its receipt says. A look is hidden while its task still waits for other looks.
SELECT d.id, d.item_id, d.task_id, d.assignment_id, d.project_id, d.project_version, d.person_id, person.pseudonym, person.role, d.verdict, d.answer,
       CASE WHEN t.kind = 'gold' AND p.wanted = 1 THEN COALESCE(d.verdict, 'answer') ELSE d.outcome END AS outcome, d.supersedes,
       (SELECT later.id FROM decisions later WHERE later.supersedes = d.id) AS superseded_by, d.evidence_version, d.shown_version, d.evidence_hash,
       d.reason_code, d.note, d.created_at, i.idempotency_key, i.trace_id, i.evidence_version AS current_evidence_version, p.name AS project, p.customer_id, 
       CASE t.kind WHEN 'gold' THEN 'review' ELSE t.kind END AS kind, t.kind = 'gold' OR hides_looks(t) AS hidden, d.approval_id,
       (SELECT second.pseudonym FROM people second WHERE second.id = d.approved_by) AS approved_by
  FROM decisions d JOIN people person ON person.id = d.person_id JOIN items i ON i.id = d.item_id JOIN projects p ON p.id = d.project_id JOIN tasks t ON t.id = d.task_id
 WHERE d.id = %(decision_id)s::bigint;
