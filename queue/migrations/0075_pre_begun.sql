-- What a handler has begun is told from what only waited in a pool's memory; what waits, by when it came to wait. And a record's way into the log costs less.

ALTER TABLE inbox_partitions ADD COLUMN begun boolean NOT NULL DEFAULT false;   -- by whoever has the lease
GRANT UPDATE (begun) ON inbox_partitions TO claimcheck_web;

ALTER TABLE inbox ADD COLUMN since timestamptz;                                 -- null: of before, when it was received
ALTER TABLE inbox ALTER COLUMN since SET DEFAULT clock_timestamp();

-- Its ids come from the trigger alone, and records are never deleted. The check read, locked and so rewrote every record a second time.
ALTER TABLE pipeline_unlogged DROP CONSTRAINT pipeline_unlogged_record_id_fkey;
