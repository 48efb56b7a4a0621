-- gold_results: somebody's in a skill that are told one by one, newest first: the exam's, and while a pause lasts the wrong ones that it came of. Never what was right.
WITH mine AS MATERIALIZED (
    SELECT * FROM gold_results WHERE person_id = %(person_id)s::int AND skill_id = %(skill_id)s::int),
alarm AS (                                                             -- the last: nothing else sets the level back on a wrong answer
    SELECT max(decision_id) AS id FROM mine WHERE purpose = 'ordinary' AND NOT correct AND level = 0),
begun AS (
    SELECT COALESCE(max(mine.decision_id), 0) AS id FROM mine, alarm WHERE mine.purpose = 'ordinary' AND mine.level = 0 AND mine.decision_id < alarm.id),
shown AS (
    SELECT mine.* FROM mine, alarm, begun
     WHERE mine.purpose = 'exam'
        OR NOT mine.correct AND EXISTS (SELECT FROM person_skills k WHERE k.person_id = mine.person_id AND k.skill_id = mine.skill_id AND k.status IN ('soft_paused', 'paused'))
           AND CASE mine.purpose WHEN 'extra' THEN mine.decision_id > COALESCE(alarm.id, 0) ELSE mine.decision_id > begun.id AND mine.decision_id <= alarm.id END)
SELECT r.decision_id, r.item_id, COALESCE(e.title, '') AS title, i.idempotency_key, r.purpose, r.correct, r.at
  FROM shown r JOIN decisions d ON d.id = r.decision_id JOIN items i ON i.id = r.item_id LEFT JOIN evidence e ON e.item_id = i.id AND e.version = d.evidence_version
 ORDER BY r.decision_id DESC LIMIT 200;
