-- batch_draws: the next of the sample to look at; what its lead has in hand comes first.
SELECT m.item_id AS id
  FROM batch_decisions b JOIN batch_draws d ON d.batch_id = b.id JOIN batch_members m ON m.batch_id = d.batch_id AND m.n = d.n
 WHERE b.id = %(batch_id)s::bigint AND NOT EXISTS (SELECT FROM batch_looks l WHERE l.batch_id = d.batch_id AND l.n = d.n)
 ORDER BY m.task_id IS DISTINCT FROM (SELECT a.task_id FROM assignments a WHERE a.person_id = b.led_by AND a.ended_at IS NULL LIMIT 1), d.place
 LIMIT 1;
