-- forecasts: what was last said of each of these projects as a whole.
SELECT DISTINCT ON (project_id) project_id, at, progress, last, last_low, last_high, deadline, miss_probability, state
  FROM forecast_log WHERE project_id = ANY (%(project_ids)s::int[]) AND batch_id IS NULL AND hour > clock_timestamp() - interval '1 day'
 ORDER BY project_id, hour DESC;
