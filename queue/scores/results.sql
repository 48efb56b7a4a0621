-- gold_results: somebody's in a skill, newest first: what they answered and whether it was right, never what was.
SELECT r.decision_id, r.item_id, COALESCE(e.title, '') AS title, i.idempotency_key, r.purpose, r.correct, r.level, r.at, d.verdict, d.answer
  FROM gold_results r JOIN decisions d ON d.id = r.decision_id JOIN items i ON i.id = r.item_id LEFT JOIN evidence e ON e.item_id = i.id AND e.version = d.evidence_version
 WHERE r.person_id = %(person_id)s::int AND r.skill_id = %(skill_id)s::int
 ORDER BY r.decision_id DESC LIMIT 200;
