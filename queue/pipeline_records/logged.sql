-- pipeline_unlogged: being written → in the log.
DELETE FROM pipeline_unlogged WHERE record_id = ANY (%(record_ids)s::bigint[]);
