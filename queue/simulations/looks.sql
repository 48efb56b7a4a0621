-- looks: every one at an item of a project, and what settled it.
SELECT d.item_id, d.answer, (d.assignment_id IS NULL) AS settles, COALESCE(c.weight, s.newcomer) AS weight
  FROM decisions d JOIN projects p ON p.id = d.project_id JOIN skills s ON s.id = p.skill_id JOIN tasks t ON t.id = d.task_id AND t.kind = 'review'
  LEFT JOIN scores c ON c.person_id = d.person_id AND c.skill_id = p.skill_id
 WHERE d.project_id = %(project_id)s::int ORDER BY d.id;
