-- spool: the bytes of one part.
SELECT bytes FROM spool WHERE item_id = %(item_id)s::bigint AND version = %(version)s::int AND n = %(n)s::smallint;
