-- people: what may keep work from one of them: no skill, an exam, a pause, too little weight, no project, nothing sent, nothing stored yet.
WITH skill AS (
    SELECT k.id, k.name, CASE WHEN s.status = 'active' AND s.held_back THEN 'held_back' ELSE s.status END AS status
      FROM person_skills s JOIN skills k ON k.id = s.skill_id WHERE s.person_id = %(me)s::int),
project AS (
    SELECT p.id, p.name, p.paused_at IS NOT NULL OR q.paused_at IS NOT NULL AS paused
      FROM projects p JOIN queues q ON q.project_id = p.id AND q.name = 'review'
     WHERE p.cancelled_at IS NULL AND p.skill_id IN (SELECT id FROM skill WHERE status = 'active'))
SELECT (SELECT COALESCE(array_agg(name ORDER BY name), '{}') FROM skill WHERE status = 'active') AS skills,
       (SELECT COALESCE(array_agg(name ORDER BY name), '{}') FROM skill WHERE status = 'exam') AS exam_skills,
       (SELECT COALESCE(array_agg(name ORDER BY name), '{}') FROM skill WHERE status = 'soft_paused') AS extra_skills,
       (SELECT COALESCE(array_agg(name ORDER BY name), '{}') FROM skill WHERE status = 'held_back') AS held_back_skills,
       (SELECT COALESCE(array_agg(name ORDER BY name), '{}') FROM skill WHERE status = 'paused') AS paused_skills,
       (SELECT COALESCE(array_agg(name ORDER BY name), '{}') FROM project WHERE NOT paused) AS projects,
       (SELECT COALESCE(array_agg(name ORDER BY name), '{}') FROM project WHERE paused) AS paused_projects,
       EXISTS (SELECT FROM items i WHERE i.not_durable_in IN (SELECT id FROM project)) AS storing,
       EXISTS (SELECT FROM project CROSS JOIN LATERAL (SELECT FROM items i WHERE i.project_id = project.id LIMIT 1) i) AS any_sent;
