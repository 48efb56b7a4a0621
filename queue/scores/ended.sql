-- tasks of several looks that have ended and whose agreement is not counted yet; taken out, so that each counts once.
WITH taken AS (
    DELETE FROM weighing w WHERE w.task_id IN (SELECT task_id FROM weighing ORDER BY task_id LIMIT %(limit)s::int FOR UPDATE SKIP LOCKED) RETURNING w.task_id)
SELECT t.id AS task_id, p.skill_id, t.project_id, p.version AS project_version, d.person_id, d.verdict, d.answer
  FROM taken JOIN tasks t ON t.id = taken.task_id JOIN projects p ON p.id = t.project_id
  JOIN decisions d ON d.item_id = t.item_id AND d.task_id = t.id AND d.assignment_id IS NOT NULL
 ORDER BY t.id, d.id;
