-- forecasts: projects and closed batches that have work open and were not forecast in this hour, and those that have none left and no end on record.
WITH found AS MATERIALIZED (
    SELECT p.id AS project_id, NULL::bigint AS batch_id, EXISTS (SELECT FROM tasks t WHERE t.open_in = p.id) OR EXISTS (SELECT FROM items i WHERE i.not_durable_in = p.id) AS open
      FROM projects p WHERE p.cancelled_at IS NULL
     UNION ALL
    SELECT p.id, b.id, EXISTS (SELECT FROM items i LEFT JOIN tasks t ON t.item_id = i.id WHERE i.batch_id = b.id AND NOT i.gold AND (t.open_in IS NOT NULL OR i.evidence_version = 0))
      FROM projects p CROSS JOIN LATERAL (
           SELECT b.id FROM batches b WHERE b.project_id = p.id AND b.closed_at IS NOT NULL AND NOT b.pipeline ORDER BY b.id DESC LIMIT 50) b
     WHERE p.cancelled_at IS NULL
       AND NOT EXISTS (SELECT FROM forecast_log l WHERE l.project_id = p.id AND l.batch_id = b.id AND l.hour = date_trunc('hour', clock_timestamp(), 'UTC'))
       AND EXISTS (SELECT FROM items i WHERE i.batch_id = b.id AND NOT i.gold OFFSET 19)
       AND NOT EXISTS (SELECT FROM forecast_ends e WHERE e.project_id = p.id AND e.batch_id = b.id))
SELECT f.project_id, f.batch_id, f.open
  FROM found f
 CROSS JOIN LATERAL (SELECT max(l.hour) AS hour, max(l.at) AS at FROM forecast_log l WHERE l.project_id = f.project_id AND l.batch_id IS NOT DISTINCT FROM f.batch_id) said
 CROSS JOIN LATERAL (SELECT max(e.at) AS at FROM forecast_ends e WHERE e.project_id = f.project_id AND e.batch_id IS NOT DISTINCT FROM f.batch_id) ended
 WHERE CASE WHEN f.open THEN said.hour IS DISTINCT FROM date_trunc('hour', clock_timestamp(), 'UTC')
            ELSE f.batch_id IS NOT NULL OR said.at > COALESCE(ended.at, '-infinity') END
 ORDER BY f.open, f.project_id, f.batch_id NULLS FIRST LIMIT %(limit)s::int;
