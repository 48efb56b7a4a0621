-- forecasts: the state that was last said of a project or a batch.
SELECT state FROM forecast_log WHERE project_id = %(project_id)s::int AND batch_id IS NOT DISTINCT FROM %(batch_id)s::bigint ORDER BY hour DESC LIMIT 1;
