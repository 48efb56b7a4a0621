-- control: which counts are due: not within their seconds, nor within twenty times what the last one took.
SELECT name FROM control_marks
 WHERE counted_at IS NULL
    OR counted_at < clock_timestamp() - greatest(20 * took, CASE WHEN name IN ('forecasts', 'gaps') THEN %(hourly)s::float8 ELSE %(seconds)s::float8 END) * interval '1 s'
 ORDER BY name;
