-- outbox: leased → pending, after a rest that grows and varies; → dead, where trying again can't help or has been tried enough. An endpoint that
-- fails again and again rests as a whole; one that is gone is switched off. No row: the lease is lost.
WITH failed AS (
    UPDATE outbox o
       SET lease = NULL, lease_until = NULL, last_error = %(error)s::text,
           state = CASE WHEN %(permanent)s::bool OR o.attempts >= %(attempts)s::int OR o.first_tried <= clock_timestamp() - %(hours)s::int * interval '1 hour'
                        THEN 'dead' ELSE 'pending' END,
           due      = clock_timestamp() + wait.pause,
           push_due = clock_timestamp() + wait.pause
      FROM (SELECT l.id, greatest(least(7200, 2 * 2 ^ least(l.attempts - 1, 20)) * (0.5 + random() / 2), %(retry_after)s::float8) * interval '1 s' AS pause
              FROM outbox l WHERE l.id = %(outbox_id)s::bigint) wait
     WHERE o.id = wait.id AND o.lease = %(lease)s::uuid
    RETURNING o.id, o.state, o.decision_id, o.effect_id, o.attempts),
rested AS (
    UPDATE effects e
       SET failures     = CASE WHEN %(blames_endpoint)s::bool THEN e.failures + 1 ELSE e.failures END,
           rest_until   = CASE WHEN %(blames_endpoint)s::bool AND e.failures + 1 >= %(patience)s::int
                               THEN clock_timestamp() + greatest(least(60, 2 ^ least(e.failures + 1 - %(patience)s::int, 10)) * (0.5 + random() / 2),
                                                                 %(retry_after)s::float8) * interval '1 s'
                               ELSE e.rest_until END,
           switched_off = CASE WHEN %(gone)s::bool THEN COALESCE(e.switched_off, %(error)s::text) ELSE e.switched_off END
      FROM failed WHERE e.id = failed.effect_id AND (%(blames_endpoint)s::bool OR %(gone)s::bool)),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, decision_id, detail)
    SELECT 'effect.failed', 0, d.project_id, d.item_id, d.id, jsonb_build_object('outbox', failed.id, 'attempts', failed.attempts, 'error', %(error)s::text)
      FROM failed JOIN decisions d ON d.id = failed.decision_id WHERE failed.state = 'dead')
SELECT state FROM failed;
