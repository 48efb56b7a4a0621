-- batch_decisions: its lead is at it.
UPDATE batch_decisions SET touched_at = clock_timestamp() WHERE id = %(batch_id)s::bigint AND state = 'sampling';
