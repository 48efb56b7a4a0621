-- batches: open → closed, every row was read.
UPDATE batches SET closed_at = clock_timestamp() WHERE id = %(batch_id)s::bigint AND closed_at IS NULL;
