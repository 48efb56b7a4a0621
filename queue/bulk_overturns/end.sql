-- bulk_overturns: gathering → listed, running → done or stopped, by a worker, who has its row locked.
UPDATE bulk_overturns SET state = %(to)s::text, moved_by = 0, why = %(why)s::text WHERE id = %(bulk_id)s::bigint AND state IN ('gathering', 'running');
