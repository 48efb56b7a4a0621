-- golds: items that an adjudicator settled and that are no gold yet, newest first. Agreement alone makes no candidate.
SELECT d.id AS decision_id, d.item_id, d.project_id, p.name AS project, COALESCE(e.title, '') AS title, i.idempotency_key, d.verdict, d.answer, d.note, person.name AS adjudicator, d.created_at
  FROM projects p
 CROSS JOIN LATERAL (SELECT * FROM decisions d WHERE d.project_id = p.id AND d.outcome IS NOT NULL ORDER BY d.id DESC LIMIT 1000) d
  JOIN tasks t ON t.id = d.task_id AND t.kind = 'adjudication' JOIN items i ON i.id = d.item_id JOIN people person ON person.id = d.person_id
  LEFT JOIN evidence e ON e.item_id = i.id AND e.version = i.evidence_version
 WHERE p.skill_id = %(skill_id)s::int AND d.supersedes IS NULL AND NOT EXISTS (SELECT FROM golds g WHERE g.item_id = d.item_id)
   AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = d.id)
 ORDER BY d.id DESC LIMIT 100;
