-- reconsiderations: the one about a decision.
SELECT c.decision_id, c.person_id, c.note, c.asked_at, p.name AS answered_by, c.answer, c.answered_at
  FROM reconsiderations c LEFT JOIN people p ON p.id = c.answered_by
 WHERE c.decision_id = %(decision_id)s::bigint;
