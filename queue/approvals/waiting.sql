-- approvals: how many wait, and since when the oldest does, a row a project; those of cancelled projects, which nobody can take, are left out.
SELECT p.id AS project_id, p.name AS project, count(*)::int AS waiting, count(*) FILTER (WHERE a.state = 'rejected')::int AS for_leads, min(a.asked_at) AS oldest,
       extract(epoch FROM clock_timestamp() - min(a.asked_at))::float8 AS oldest_seconds
  FROM approvals a JOIN projects p ON p.id = a.project_id
 WHERE a.open_item IS NOT NULL AND p.cancelled_at IS NULL
 GROUP BY p.id ORDER BY oldest;
