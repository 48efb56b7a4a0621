-- processes: one says that it is there, and hears whether it is to take nothing new. Those that were silent for a day are forgotten.
WITH old AS (DELETE FROM processes WHERE seen_at < clock_timestamp() - interval '1 day' AND name <> %(name)s::text),
said AS (
    INSERT INTO processes AS p (name, kind, resting, busy, stopped_at)
    VALUES (%(name)s::text, %(kind)s::text, %(resting)s::boolean, %(busy)s::int, CASE WHEN %(stopped)s::boolean THEN clock_timestamp() END)
        ON CONFLICT (name) DO UPDATE
       SET kind = excluded.kind, seen_at = clock_timestamp(), resting = excluded.resting, busy = excluded.busy, stopped_at = excluded.stopped_at,
           started_at = CASE WHEN p.stopped_at IS NULL THEN p.started_at ELSE excluded.started_at END
    RETURNING name)
SELECT COALESCE((SELECT d.draining FROM drains d ORDER BY d.id DESC LIMIT 1), false) AS draining FROM said;
