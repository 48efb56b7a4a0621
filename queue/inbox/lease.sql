-- inbox_partitions: due → leased to one handler, those that waited longest first, as many as have room; a lapsed lease passes on, and with it whether its work was begun.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
due AS MATERIALIZED (
    SELECT p.id, p.pull_at, least(p.open, %(run_messages)s::int) AS takes
      FROM inbox_partitions p WHERE p.pull_at <= (SELECT now FROM clock)
     ORDER BY p.pull_at LIMIT %(room)s::int FOR NO KEY UPDATE SKIP LOCKED),
fitting AS MATERIALIZED (
    SELECT d.id FROM (SELECT due.id, sum(due.takes) OVER (ORDER BY due.pull_at, due.id) AS upto FROM due) d
     WHERE d.upto <= %(room)s::int),
leased AS (
    UPDATE inbox_partitions p
       SET lease = gen_random_uuid(), begun = false, lease_until = clock_timestamp() + %(lease_ms)s::int * interval '1 ms'
      FROM fitting WHERE p.id = fitting.id
    RETURNING p.id AS partition_id, p.project_id, p.key, p.lease, p.lease_until, old.begun AS lapsed, old.pull_at)
SELECT partition_id, project_id, key, lease, lease_until, lapsed FROM leased ORDER BY pull_at, partition_id;
