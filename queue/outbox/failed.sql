-- outbox: leased → pending, after a pause; → dead, where trying again can't help or has been tried enough. An endpoint that fails again and again
-- rests as a whole; one that is gone is switched off. No row: the lease is lost.
WITH failed AS (
    UPDATE outbox o
       SET lease = NULL, lease_until = NULL, last_error = %(error)s::text,
           state    = CASE WHEN %(permanent)s::bool OR o.attempts >= %(attempts)s::int
                             OR o.first_tried <= clock_timestamp() - %(hours)s::int * interval '1 hour' THEN 'dead' ELSE 'pending' END,
           due      = clock_timestamp() + %(pause)s::float8 * interval '1 s',
           push_due = clock_timestamp() + %(pause)s::float8 * interval '1 s'
     WHERE o.id = %(outbox_id)s::bigint AND o.lease = %(lease)s::uuid
    RETURNING o.id, o.state, o.decision_id, o.effect_id, o.attempts),
rested AS (
    UPDATE effects e
       SET failures   = e.failures + 1,
           rest_until = CASE WHEN e.failures + 1 >= %(patience)s::int
                             THEN clock_timestamp() + interval '1 s' * greatest(%(retry_after)s::float8,
                                                      least(60, 2 ^ least(e.failures + 1 - %(patience)s::int, 6)) * (0.5 + random() / 2))
                             ELSE e.rest_until END
      FROM failed WHERE e.id = failed.effect_id AND %(blames_endpoint)s::bool AND NOT %(gone)s::bool),
switched AS (
    UPDATE effects e SET switched_off = %(error)s::text FROM failed WHERE e.id = failed.effect_id AND %(gone)s::bool AND e.switched_off IS NULL),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, decision_id, detail)
    SELECT 'effect.failed', 0, e.project_id, d.item_id, d.id, jsonb_build_object('outbox', failed.id, 'attempts', failed.attempts, 'error', %(error)s::text)
      FROM failed JOIN effects e ON e.id = failed.effect_id LEFT JOIN decisions d ON d.id = failed.decision_id WHERE failed.state = 'dead')
SELECT state FROM failed;
