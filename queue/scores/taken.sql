-- weighing: tasks that have ended → none; their skill's agreement is about to be counted.
DELETE FROM weighing w USING tasks t, projects p WHERE t.id = w.task_id AND p.id = t.project_id AND p.skill_id = %(skill_id)s::int;
