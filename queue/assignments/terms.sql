-- assignments: what a decision under this one is checked against.
SELECT t.project_id, p.version AS project_version, t.kind, t.item_id
  FROM assignments a JOIN tasks t ON t.id = a.task_id JOIN projects p ON p.id = t.project_id
 WHERE a.id = %(assignment_id)s::bigint AND a.person_id = %(me)s::int;
