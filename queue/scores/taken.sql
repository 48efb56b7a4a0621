-- weighing: the tasks of a skill that have ended and are about to be counted, and since when; what comes meanwhile asks again.
SELECT clock_timestamp() AS begun,
       ARRAY(SELECT w.task_id FROM weighing w JOIN tasks t ON t.id = w.task_id JOIN projects p ON p.id = t.project_id WHERE p.skill_id = %(skill_id)s::int) AS task_ids;
