-- assignments: what a decision under this one is checked against.
SELECT t.id AS task_id, t.project_id, p.version AS project_version,
       CASE WHEN t.kind = 'approval' AND EXISTS (SELECT FROM approvals s WHERE s.task_id = t.id) THEN 'second_look' ELSE t.kind END AS kind, t.item_id, t.wanted, cardinality(t.votes) AS looks,
       COALESCE(c.weight, s.newcomer) AS my_weight, s.temperature, s.weighs
  FROM assignments a JOIN tasks t ON t.id = a.task_id JOIN projects p ON p.id = t.project_id JOIN skills s ON s.id = p.skill_id
  LEFT JOIN scores c ON c.person_id = a.person_id AND c.skill_id = p.skill_id
 WHERE a.id = %(assignment_id)s::bigint AND a.person_id = %(me)s::int;
