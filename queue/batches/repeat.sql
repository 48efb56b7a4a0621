-- batches: rows that were here already are counted.
UPDATE batches SET repeated = repeated + %(rows)s::int WHERE id = %(batch_id)s::bigint;
