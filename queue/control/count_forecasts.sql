-- control: what came to its end in thirty days, what of it was late, and how many of the 80 %% bands said of it did not hold.
WITH ended AS MATERIALIZED (
    SELECT DISTINCT ON (e.project_id, e.batch_id, e.items) e.* FROM forecast_ends e
     WHERE e.last_at > clock_timestamp() - interval '30 days'
       AND (e.batch_id IS NOT NULL OR NOT EXISTS (SELECT FROM forecast_ends o WHERE o.project_id = e.project_id AND o.batch_id IS NOT NULL))
     ORDER BY e.project_id, e.batch_id, e.items, e.id),
said AS (
    SELECT count(*) AS said, count(*) FILTER (WHERE extract(epoch FROM e.last_at - l.at) / 3600 NOT BETWEEN l.last_low AND l.last_high) AS outside
      FROM ended e JOIN forecast_log l ON l.project_id = e.project_id AND l.batch_id IS NOT DISTINCT FROM e.batch_id AND l.items = e.items
     WHERE l.last IS NOT NULL AND l.at < e.last_at)
UPDATE control_desk
   SET (finished, late) = (SELECT count(*), count(*) FILTER (WHERE e.last_at > p.deadline) FROM ended e JOIN projects p ON p.id = e.project_id),
       (said, outside) = (SELECT said, outside FROM said);
