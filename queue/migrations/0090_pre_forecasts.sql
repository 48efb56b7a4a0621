-- Forecasts: what was said each hour of a project or a batch, and when each came to its end. Compared, they are the ratios that the next forecast stands on.
CREATE TABLE forecast_log (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id       int NOT NULL REFERENCES projects,
    batch_id         bigint REFERENCES batches,          -- null: the whole project
    at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    hour             timestamptz NOT NULL DEFAULT date_trunc('hour', clock_timestamp(), 'UTC'),
    items            int NOT NULL CHECK (items > 0),
    settled          int NOT NULL CHECK (settled >= 0),
    progress         float8 NOT NULL CHECK (progress BETWEEN 0 AND 1),   -- looks given, of all that are expected
    bucket           smallint NOT NULL,                  -- of progress (claimcheck/forecasts/ratios.py)
    looks_left       float8 NOT NULL,
    looks_an_hour    float8,                             -- of the skill that takes longest; null: nobody has ever worked at it
    experts          int NOT NULL,
    raw_most         float8 CHECK (raw_most >= 0),       -- hours by the plain rate, to 95 % of the items
    raw_last         float8 CHECK (raw_last >= 0),       -- and to the last one
    most             float8,                             -- hours as they were said, with the 80 % band
    most_low         float8,
    most_high        float8,
    last             float8,
    last_low         float8,
    last_high        float8,
    deadline         timestamptz,
    miss_probability float8 CHECK (miss_probability BETWEEN 0 AND 1),
    state            text NOT NULL CHECK (state IN ('no_deadline', 'on_time', 'at_risk', 'late', 'unknown')),
    CONSTRAINT forecast_log_hourly UNIQUE NULLS NOT DISTINCT (project_id, batch_id, hour));

CREATE TABLE forecast_ends (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id int NOT NULL REFERENCES projects,
    batch_id   bigint REFERENCES batches,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    hour       timestamptz NOT NULL DEFAULT date_trunc('hour', clock_timestamp(), 'UTC'),
    items      int NOT NULL CHECK (items > 0),
    most_at    timestamptz NOT NULL,                     -- when 95 % of the items had been settled
    last_at    timestamptz NOT NULL,
    CONSTRAINT forecast_ends_hourly UNIQUE NULLS NOT DISTINCT (project_id, batch_id, hour));

DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['forecast_log', 'forecast_ends'] LOOP
        EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse()', t);
        EXECUTE format('CREATE TRIGGER no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse()', t);
    END LOOP;
END $$;
GRANT SELECT ON forecast_log, forecast_ends TO claimcheck_web;
GRANT SELECT, INSERT ON forecast_log, forecast_ends TO claimcheck_worker;
