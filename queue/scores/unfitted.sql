-- skills: those with new gold results that were not fitted for five minutes, each with a project that asks its question.
SELECT s.id AS skill_id, p.id AS project_id, p.version AS project_version
  FROM skills s
 CROSS JOIN LATERAL (SELECT g.project_id FROM golds g WHERE g.skill_id = s.id ORDER BY g.id DESC LIMIT 1) newest
  JOIN projects p ON p.id = newest.project_id
 WHERE COALESCE(s.fitted_at, '-infinity') < clock_timestamp() - make_interval(secs => %(seconds)s::float8)
   AND EXISTS (SELECT FROM scores c WHERE c.skill_id = s.id AND c.updated_at > COALESCE(s.fitted_at, '-infinity'));
