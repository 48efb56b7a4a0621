-- control: what finished last with a deadline and after it; the newest first.
SELECT e.project_id, p.name AS project, e.batch_id, e.items, e.last_at, p.deadline
  FROM (SELECT * FROM forecast_ends ORDER BY id DESC LIMIT 50) e JOIN projects p ON p.id = e.project_id
 WHERE e.last_at > p.deadline ORDER BY e.id DESC LIMIT 5;
