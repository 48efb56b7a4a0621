-- items: some of a partition, in its order, to be judged.
SELECT i.id AS item_id, i.partition_no::text AS place
  FROM items i
 WHERE i.partition_id = (SELECT n.id FROM partitions n WHERE n.project_id = %(project_id)s::int AND n.key = %(partition)s::text) AND i.partition_no > %(low)s::bigint
 ORDER BY i.partition_no LIMIT %(limit)s::int;
