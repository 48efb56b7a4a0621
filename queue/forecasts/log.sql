-- forecasts: what is said now of a project or a batch, once an hour, whichever worker says it first.
INSERT INTO forecast_log (project_id, batch_id, items, settled, progress, bucket, looks_left, looks_an_hour, experts, raw_most, raw_last,
                          most, most_low, most_high, last, last_low, last_high, deadline, miss_probability, state)
VALUES (%(project_id)s::int, %(batch_id)s::bigint, %(items)s::int, %(settled)s::int, %(progress)s::float8, %(bucket)s::smallint, %(looks_left)s::float8,
        %(looks_an_hour)s::float8, %(experts)s::int, %(raw_most)s::float8, %(raw_last)s::float8, %(most)s::float8, %(most_low)s::float8, %(most_high)s::float8,
        %(last)s::float8, %(last_low)s::float8, %(last_high)s::float8, %(deadline)s::timestamptz, %(miss_probability)s::float8, %(state)s::text)
    ON CONFLICT ON CONSTRAINT forecast_log_hourly DO NOTHING;
