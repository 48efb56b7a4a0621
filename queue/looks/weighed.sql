-- looks: those that a task has so far, in their order, each with its author's weight in the project's skill.
SELECT d.person_id, d.verdict, d.answer, COALESCE(c.weight, s.newcomer) AS weight
  FROM decisions d JOIN tasks t ON t.id = d.task_id JOIN projects p ON p.id = t.project_id JOIN skills s ON s.id = p.skill_id
  LEFT JOIN scores c ON c.person_id = d.person_id AND c.skill_id = p.skill_id
 WHERE d.item_id = %(item_id)s::bigint AND d.task_id = %(task_id)s::bigint AND d.assignment_id IS NOT NULL
 ORDER BY d.id;
