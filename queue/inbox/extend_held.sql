-- inbox_partitions: leased → leased for longer, waiting for whoever has its row: producers that never leave it would let the lease run out.
WITH mine AS MATERIALIZED (
    SELECT p.id FROM unnest(%(partition_ids)s::bigint[], %(leases)s::uuid[]) g(partition_id, lease)
      JOIN inbox_partitions p ON p.id = g.partition_id AND p.lease = g.lease
     ORDER BY p.project_id, p.key FOR NO KEY UPDATE OF p)
UPDATE inbox_partitions p SET lease_until = clock_timestamp() + %(lease_ms)s::int * interval '1 ms' FROM mine WHERE p.id = mine.id;
