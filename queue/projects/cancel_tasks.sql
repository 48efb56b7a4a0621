-- tasks: open → cancelled, at most 500 at a time; a lease that is live stays good until its end. It never waits for a row, so it is in no deadlock.
WITH open AS MATERIALIZED (
    SELECT id FROM tasks WHERE open_in = %(project_id)s::int AND id > %(after)s::bigint
     ORDER BY id LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED),
stopped AS (
    UPDATE tasks t SET cancelled_at = clock_timestamp() FROM open WHERE t.id = open.id)                 -- what waits in a partition goes on waiting: who holds its head may settle that
SELECT count(*)::int AS touched, max(id) AS last,
       EXISTS (SELECT FROM tasks t WHERE t.open_in = %(project_id)s::int AND NOT t.id = ANY (ARRAY(SELECT id FROM open))) AS left
  FROM open;
