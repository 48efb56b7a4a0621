-- evidence: waits → spooled, of the items that follow a partition's last one. It runs beside items/publish, while the partitions are still locked, with
-- a snapshot of its own: in the same statement, what another publisher let wait a moment ago would be missed.
UPDATE evidence e SET waits = false
  FROM partitions p JOIN items n ON n.partition_id = p.id AND n.partition_no BETWEEN p.last_no + 1 AND p.last_no + 200
 WHERE p.id IN (SELECT i.partition_id FROM items i WHERE i.id = ANY (%(item_ids)s::bigint[]))
   AND e.item_id = n.id AND e.waits AND e.published_at IS NULL;
