-- approvals: one, for a lead. What was proposed, and by whom, is told once it is resolved or voided.
SELECT a.id, a.item_id, a.project_id, p.name AS project, i.idempotency_key, a.state, a.version, a.asked_at, a.moved_at, a.decision_id,
       CASE WHEN a.open_item IS NULL THEN a.overturns END AS overturns,
       CASE WHEN a.open_item IS NULL THEN o.outcome END AS proposed, CASE WHEN a.open_item IS NULL THEN o.answer END AS answer,
       CASE WHEN a.open_item IS NULL THEN o.reason_code END AS reason_code, CASE WHEN a.open_item IS NULL THEN who.pseudonym END AS proposed_by,
       CASE WHEN a.open_item IS NULL THEN o.rule END AS rule,
       (SELECT second.pseudonym FROM decisions d JOIN people second ON second.id = d.approved_by WHERE d.id = a.decision_id) AS approved_by
  FROM approvals a JOIN proposals o ON o.id = a.id JOIN people who ON who.id = o.person_id JOIN projects p ON p.id = a.project_id JOIN items i ON i.id = a.item_id
 WHERE a.id = %(approval_id)s::bigint;
