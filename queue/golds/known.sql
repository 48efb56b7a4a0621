-- golds: every scored look of a skill with what was accepted, for its temperature and its gain (quality/temperature, quality/gains).
SELECT e.gold_id, l.accepted, d.person_id, d.verdict, d.answer
  FROM gold_results r JOIN decisions d ON d.id = r.decision_id JOIN gold_exposures e ON e.task_id = d.task_id JOIN gold_labels l ON l.gold_id = e.gold_id
 WHERE r.skill_id = %(skill_id)s::int
 ORDER BY d.id DESC LIMIT 5000;
