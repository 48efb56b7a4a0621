-- skills: those with new gold results or tasks that ended, and not fitted for a while; each with the newest project that asks its question, with gold if there is one.
SELECT s.id AS skill_id, p.id AS project_id, p.version AS project_version
  FROM skills s
  JOIN projects p ON p.id = COALESCE((SELECT g.project_id FROM golds g WHERE g.skill_id = s.id ORDER BY g.id DESC LIMIT 1),
                                     (SELECT max(n.id) FROM projects n WHERE n.skill_id = s.id))
 WHERE COALESCE(s.fitted_at, '-infinity') < clock_timestamp() - make_interval(secs => %(seconds)s::float8)
   AND (EXISTS (SELECT FROM scores c WHERE c.skill_id = s.id AND c.updated_at > COALESCE(s.fitted_at, '-infinity'))
        OR EXISTS (SELECT FROM weighing w JOIN tasks t ON t.id = w.task_id JOIN projects n ON n.id = t.project_id WHERE n.skill_id = s.id))
 ORDER BY s.id;
