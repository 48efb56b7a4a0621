-- forecasts: a project or a batch has nothing open any more: when 95 %% of its items had been settled, and when the last was. Nothing where it has no item.
WITH settled AS MATERIALIZED (
    SELECT min(d.created_at) AS at
      FROM items i JOIN decisions d ON d.item_id = i.id AND d.outcome IS NOT NULL AND d.supersedes IS NULL
     WHERE i.project_id = %(project_id)s::int AND (%(batch_id)s::bigint IS NULL OR i.batch_id = %(batch_id)s::bigint) AND NOT i.gold
     GROUP BY i.id)
INSERT INTO forecast_ends (project_id, batch_id, items, most_at, last_at)
SELECT %(project_id)s::int, %(batch_id)s::bigint, count(*), percentile_disc(0.95) WITHIN GROUP (ORDER BY at), max(at)
  FROM settled HAVING count(*) > 0
    ON CONFLICT ON CONSTRAINT forecast_ends_hourly DO NOTHING;
