-- looks at a skill's newest tasks of several looks, ended or still open.
WITH newest AS MATERIALIZED (
    SELECT t.id, t.project_id, t.item_id, p.version
      FROM projects p
     CROSS JOIN LATERAL (SELECT * FROM tasks n WHERE n.project_id = p.id AND n.wanted > 1 AND cardinality(n.votes) > 1 ORDER BY n.id DESC LIMIT %(limit)s::int) t
     WHERE p.skill_id = %(skill_id)s::int
     ORDER BY t.id DESC LIMIT %(limit)s::int)
SELECT t.id AS task_id, t.project_id, t.version AS project_version, d.person_id, d.verdict, d.answer
  FROM newest t JOIN decisions d ON d.item_id = t.item_id AND d.task_id = t.id AND d.assignment_id IS NOT NULL
 ORDER BY t.id, d.id;
