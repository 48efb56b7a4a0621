-- gold_results: somebody's golds in a project's skill, oldest first, and when they were answered.
SELECT r.correct, d.created_at AS at
  FROM gold_results r JOIN decisions d ON d.id = r.decision_id
 WHERE r.person_id = %(person_id)s::int AND r.skill_id = (SELECT p.skill_id FROM projects p WHERE p.id = %(project_id)s::int)
 ORDER BY r.decision_id;
