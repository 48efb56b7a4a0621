-- outbox: pending | lapsed → leased; → dead, where its worker died each time. Attempts count here, so that a kill -9 counts. No row: it is not its
-- turn or time, somebody has it, or its endpoint is busy, resting or switched off.
WITH found AS MATERIALIZED (
    SELECT o.id, o.attempts >= %(attempts)s::int AS spent
      FROM outbox o
     WHERE o.id = %(outbox_id)s::bigint AND o.ring_for IS NOT NULL AND o.due <= clock_timestamp()
       AND (o.state = 'pending' OR o.lease_until <= clock_timestamp())
       FOR NO KEY UPDATE SKIP LOCKED),
free AS (
    SELECT found.id, found.spent, e.kind
      FROM found JOIN outbox o ON o.id = found.id JOIN effects e ON e.id = o.effect_id
     WHERE e.switched_off IS NULL AND (e.rest_until IS NULL OR e.rest_until <= clock_timestamp())
       AND (e.kind = 'standing' OR CASE WHEN e.failures < %(patience)s::int THEN %(at_once)s::int ELSE 1 END
                                   > (SELECT count(*) FROM outbox l WHERE l.leased_for = e.id AND l.lease_until > clock_timestamp())))
UPDATE outbox o
   SET state       = CASE WHEN free.spent THEN 'dead' ELSE 'leased' END,
       attempts    = CASE WHEN free.spent THEN o.attempts ELSE o.attempts + 1 END,
       last_error  = CASE WHEN free.spent THEN 'Each worker that tried it was killed' ELSE o.last_error END,
       unanswered  = 0,
       first_tried = COALESCE(o.first_tried, clock_timestamp()),
       lease       = CASE WHEN NOT free.spent THEN gen_random_uuid() END,
       lease_until = CASE WHEN NOT free.spent THEN clock_timestamp() + CASE free.kind WHEN 'letter' THEN %(letter_seconds)s::float8 ELSE %(seconds)s::float8 END * interval '1 s' END
  FROM free WHERE o.id = free.id
RETURNING o.id AS outbox_id, o.lease, o.attempts AS attempt, o.decision_id, o.notice_id, o.effect_id, free.kind, o.partition_id, o.effect_no, o.undone;
