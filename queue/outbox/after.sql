-- outbox: what a worker who has just ended a row goes on with: the next of its partition, else what waits for the same effect.
(SELECT o.id AS outbox_id FROM outbox o
  WHERE o.partition_id = %(partition_id)s::bigint AND o.effect_no = %(effect_no)s::int + 1 AND o.turn AND o.state = 'pending' AND o.due <= clock_timestamp())
UNION ALL
(SELECT few.id FROM (SELECT o.id FROM outbox o                          -- by chance, so that many workers do not all reach for the same one
                      WHERE o.ring_for = %(effect_id)s::int AND o.push_due <= (SELECT clock_timestamp()) AND o.state = 'pending'
                      ORDER BY o.push_due LIMIT 64) few
  ORDER BY random() LIMIT 4);
