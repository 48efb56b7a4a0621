-- forecasts: how those that came to their end compare with the plain rate: actual hours by raw hours, for each of them and each bucket of progress the middle one. Of a project that came by batches, the batches.
WITH ended AS MATERIALIZED (
    SELECT DISTINCT ON (e.project_id, e.batch_id, e.items) e.*
      FROM (SELECT * FROM forecast_ends ORDER BY id DESC LIMIT 300) e
     WHERE e.batch_id IS NOT NULL OR NOT EXISTS (SELECT FROM forecast_ends o WHERE o.project_id = e.project_id AND o.batch_id IS NOT NULL)
     ORDER BY e.project_id, e.batch_id, e.items, e.id)
SELECT e.id AS ended, l.bucket,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM e.most_at - l.at) / 3600 / l.raw_most) FILTER (WHERE l.raw_most > 0 AND e.most_at > l.at) AS most,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM e.last_at - l.at) / 3600 / l.raw_last) AS last
  FROM ended e JOIN forecast_log l ON l.project_id = e.project_id AND l.batch_id IS NOT DISTINCT FROM e.batch_id AND l.items = e.items
 WHERE l.raw_last > 0 AND l.at < e.last_at
 GROUP BY 1, 2 ORDER BY 1, 2;
