-- forecasts: what was said of those that came to their end, and what happened, in hours from the moment it was said; the newest 300, a customer's or everybody's.
WITH ended AS MATERIALIZED (
    SELECT DISTINCT ON (e.project_id, e.batch_id, e.items) e.*
      FROM (SELECT e.* FROM forecast_ends e JOIN projects p ON p.id = e.project_id
             WHERE %(customer_id)s::int IS NULL OR p.customer_id = %(customer_id)s::int ORDER BY e.id DESC LIMIT 300) e
     WHERE e.batch_id IS NOT NULL OR NOT EXISTS (SELECT FROM forecast_ends o WHERE o.project_id = e.project_id AND o.batch_id IS NOT NULL)
     ORDER BY e.project_id, e.batch_id, e.items, e.id)
SELECT e.id AS ended, e.project_id, p.name AS project, e.batch_id, e.items, e.last_at, l.at, l.bucket, l.progress, l.most, l.most_low, l.most_high, l.last, l.last_low, l.last_high,
       extract(epoch FROM e.most_at - l.at)::float8 / 3600 AS most_actual, extract(epoch FROM e.last_at - l.at)::float8 / 3600 AS last_actual
  FROM ended e JOIN projects p ON p.id = e.project_id
  JOIN forecast_log l ON l.project_id = e.project_id AND l.batch_id IS NOT DISTINCT FROM e.batch_id AND l.items = e.items
 WHERE l.last IS NOT NULL AND l.at < e.last_at
 ORDER BY e.id DESC, l.at;
