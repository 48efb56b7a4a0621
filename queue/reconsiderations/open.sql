-- reconsiderations: those that no lead has answered, oldest first. A look is not told of while its task still waits for other looks.
SELECT c.decision_id, d.item_id, p.name AS project, d.project_id, d.project_version, COALESCE(e.title, '') AS title, i.idempotency_key, d.verdict, d.answer, r.label AS reason,
       person.pseudonym, c.note, c.asked_at, d.created_at AS decided_at, clock_timestamp() AS server_now,
       (SELECT o.id FROM decisions o
         WHERE o.item_id = d.item_id AND o.outcome IS NOT NULL AND NOT EXISTS (SELECT FROM decisions n WHERE n.supersedes = o.id) ORDER BY o.id DESC LIMIT 1) AS outcome_id
  FROM reconsiderations c JOIN decisions d ON d.id = c.decision_id JOIN projects p ON p.id = d.project_id JOIN items i ON i.id = d.item_id
  JOIN tasks t ON t.id = d.task_id AND NOT hides_looks(t)
  JOIN people person ON person.id = c.person_id JOIN reason_codes r ON r.project_id = d.project_id AND r.code = d.reason_code
  LEFT JOIN evidence e ON e.item_id = d.item_id AND e.version = d.evidence_version
 WHERE c.answered_at IS NULL
 ORDER BY c.asked_at LIMIT 200;
