-- inbox_partitions: leased → leased for longer, whoever still has it; one that is locked at this moment is left for inbox/extend_held.
WITH mine AS MATERIALIZED (
    SELECT p.id FROM unnest(%(partition_ids)s::bigint[], %(leases)s::uuid[]) g(partition_id, lease)
      JOIN inbox_partitions p ON p.id = g.partition_id AND p.lease = g.lease
       FOR NO KEY UPDATE OF p SKIP LOCKED)
UPDATE inbox_partitions p SET lease_until = clock_timestamp() + %(lease_ms)s::int * interval '1 ms' FROM mine WHERE p.id = mine.id
RETURNING p.id AS partition_id;
