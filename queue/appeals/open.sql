-- appeals: those that wait for a lead, oldest first.
SELECT a.id, a.person_id, p.name AS person, a.skill_id, s.name AS skill, k.status, k.said, a.note, a.asked_at
  FROM appeals a JOIN people p ON p.id = a.person_id JOIN skills s ON s.id = a.skill_id JOIN person_skills k ON k.person_id = a.person_id AND k.skill_id = a.skill_id
 WHERE a.answered_at IS NULL ORDER BY a.asked_at LIMIT 200;
