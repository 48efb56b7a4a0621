-- inbox_partitions: leased, and locked until the end of the transaction; who lost the lease finds nothing. In one order, as at admission.
SELECT p.id AS partition_id
  FROM unnest(%(partition_ids)s::bigint[], %(leases)s::uuid[]) g(partition_id, lease)
  JOIN inbox_partitions p ON p.id = g.partition_id AND p.lease = g.lease
 ORDER BY p.project_id, p.key FOR NO KEY UPDATE OF p;
