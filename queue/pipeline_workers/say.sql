-- pipeline_workers: how a pool is, as it says itself. Those that were silent for a week are forgotten.
WITH old AS (DELETE FROM pipeline_workers WHERE seen_at < clock_timestamp() - interval '7 days' AND name <> %(name)s::text)
INSERT INTO pipeline_workers AS w (name, source, settings_version, state, queued, in_flight, handled, measured, p99_ms, stopped_at)
VALUES (%(name)s::text, %(source)s::text, %(settings_version)s::int, %(state)s::text, %(queued)s::int, %(in_flight)s::int, %(handled)s::bigint, %(measured)s::int,
        %(p99_ms)s::float8, CASE WHEN %(state)s::text = 'stopped' THEN clock_timestamp() END)
    ON CONFLICT (name) DO UPDATE
   SET source = excluded.source, settings_version = excluded.settings_version, seen_at = clock_timestamp(), state = excluded.state, queued = excluded.queued,
       in_flight = excluded.in_flight, handled = excluded.handled, measured = excluded.measured, p99_ms = excluded.p99_ms, stopped_at = excluded.stopped_at;
