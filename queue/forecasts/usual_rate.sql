-- forecasts: the rate of a project over its last week on record, the hours in which nobody worked among them, and when anybody last did. No row: nobody ever has.
SELECT avg(CASE WHEN experts > 0 THEN looks_an_hour ELSE 0 END) AS looks_an_hour, max(at) FILTER (WHERE experts > 0) AS at
  FROM (SELECT experts, looks_an_hour, at FROM forecast_log WHERE project_id = %(project_id)s::int AND batch_id IS NULL ORDER BY hour DESC LIMIT 168) l
HAVING max(at) FILTER (WHERE experts > 0) IS NOT NULL;
