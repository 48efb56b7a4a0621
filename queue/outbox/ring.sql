-- outbox: the doorbell is rung for what is due, the state stays. Each effect's own line is read, so that a long one delays no other, and of each
-- only as much as may be in flight: whoever comes goes on with the rest. A row that nobody came for is rung again after 8 s × 2^n.
WITH RECURSIVE line AS (                                               -- effects with work, by hops through outbox_ring
    (SELECT ring_for FROM outbox WHERE ring_for IS NOT NULL ORDER BY ring_for LIMIT 1)
    UNION ALL
    SELECT (SELECT o.ring_for FROM outbox o WHERE o.ring_for > line.ring_for ORDER BY o.ring_for LIMIT 1) FROM line WHERE line.ring_for IS NOT NULL),
head AS MATERIALIZED (
    SELECT o.id, o.push_due
      FROM line JOIN effects e ON e.id = line.ring_for
     CROSS JOIN LATERAL (
           SELECT o.id, o.push_due FROM outbox o
            WHERE o.ring_for = e.id AND o.push_due <= (SELECT clock_timestamp()) AND (o.state = 'pending' OR o.lease_until <= (SELECT clock_timestamp()))
            ORDER BY o.push_due
            LIMIT greatest(0, CASE WHEN e.kind = 'standing' THEN 2 * %(at_once)s::int WHEN e.failures < %(patience)s::int THEN %(at_once)s::int ELSE 1 END
                              - (SELECT count(*) FROM outbox l WHERE l.leased_for = e.id AND l.lease_until > (SELECT clock_timestamp())))) o
     WHERE e.switched_off IS NULL AND (e.rest_until IS NULL OR e.rest_until <= (SELECT clock_timestamp()))
     ORDER BY o.push_due LIMIT %(room)s::int),
rung AS MATERIALIZED (
    SELECT o.id FROM head JOIN outbox o ON o.id = head.id
     WHERE o.ring_for IS NOT NULL AND o.push_due <= (SELECT clock_timestamp())
       FOR NO KEY UPDATE OF o SKIP LOCKED)
UPDATE outbox o
   SET pushes = o.pushes + 1, unanswered = o.unanswered + 1, push_due = clock_timestamp() + interval '8 s' * 2 ^ least(o.unanswered, 4)
  FROM rung WHERE o.id = rung.id
RETURNING o.id AS outbox_id, o.pushes AS push, old.unanswered;
