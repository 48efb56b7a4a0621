-- outbox: pending rows of before a time are due and rung for at once, 500 at a time in the order of their ages, on record; their endpoints rest no longer.
-- What may still be undone waits on.
WITH page AS MATERIALIZED (
    SELECT o.id, o.created_at FROM outbox o
     WHERE o.state = 'pending' AND o.state IN ('pending', 'leased', 'dead') AND o.turn
       AND o.created_at <= %(before)s::timestamptz AND (o.created_at, o.id) > (%(at)s::timestamptz, %(after)s::bigint)
     ORDER BY o.created_at, o.id LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED),
rung AS (
    UPDATE outbox o SET due = greatest(clock_timestamp(), o.not_before), push_due = greatest(clock_timestamp(), o.not_before), unanswered = 0
      FROM page WHERE o.id = page.id RETURNING o.effect_id),
woken AS (
    UPDATE effects e SET failures = 0, rest_until = NULL WHERE e.failures > 0 AND e.id IN (SELECT effect_id FROM rung)),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'operations.replayed', %(me)s::int, jsonb_build_object('count', count(*), 'reason', %(reason)s::text) FROM page HAVING count(*) > 0)
SELECT count(*)::int AS touched, max(created_at) AS at, (array_agg(id ORDER BY created_at DESC, id DESC))[1] AS last FROM page;
