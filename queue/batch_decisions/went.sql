-- batch_decisions: how far its undoing has come.
UPDATE batch_decisions SET looked_to = %(to)s::bigint, touched_at = clock_timestamp() WHERE id = %(batch_id)s::bigint AND state = 'undoing';
