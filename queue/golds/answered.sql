-- golds: copies that were looked at and are not scored yet, oldest look first. One scorer at a time, so that each person's looks are scored in their order.
SELECT e.task_id, e.gold_id, g.skill_id, d.id AS decision_id, d.person_id, d.item_id, d.verdict, d.answer, l.accepted
  FROM gold_exposures e JOIN tasks t ON t.id = e.task_id JOIN golds g ON g.id = e.gold_id JOIN gold_labels l ON l.gold_id = g.id
  JOIN decisions d ON d.item_id = t.item_id AND d.task_id = t.id
 WHERE e.scored_at IS NULL AND t.ended_as IS NOT NULL AND pg_try_advisory_xact_lock(%(lock)s::bigint)
 ORDER BY d.id LIMIT 200;
