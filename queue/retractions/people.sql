-- people: those who can have looked at a project's items: who has or had its skill, and who led; by name.
SELECT p.id, p.name, p.role, k.status, s.low, s.high
  FROM people p LEFT JOIN person_skills k ON k.person_id = p.id AND k.skill_id = (SELECT skill_id FROM projects WHERE id = %(project_id)s::int)
  LEFT JOIN scores s ON s.person_id = p.id AND s.skill_id = k.skill_id
 WHERE p.role IN ('reviewer', 'lead') AND EXISTS (SELECT FROM decisions d WHERE d.person_id = p.id AND d.project_id = %(project_id)s::int AND d.assignment_id IS NOT NULL)
 ORDER BY p.name LIMIT 500;
