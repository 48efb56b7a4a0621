-- inbox_partitions: leased → leased and begun; who lost the lease finds nothing. It need not be on the disk: it tells a kill from another, and no data.
WITH mine AS MATERIALIZED (
    SELECT p.id FROM unnest(%(partition_ids)s::bigint[], %(leases)s::uuid[]) g(partition_id, lease)
      JOIN inbox_partitions p ON p.id = g.partition_id AND p.lease = g.lease
     ORDER BY p.project_id, p.key FOR NO KEY UPDATE OF p)
UPDATE inbox_partitions p SET begun = true FROM mine
 WHERE p.id = mine.id AND (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL
RETURNING p.id AS partition_id;
