-- inbox_partitions: locked for the rest of the transaction, where it has been due for long: its producers may never leave it unlocked.
SELECT p.id AS partition_id FROM inbox_partitions p
 WHERE p.pull_at <= (SELECT clock_timestamp()) - %(seconds)s::float8 * interval '1 s' ORDER BY p.pull_at LIMIT 1 FOR NO KEY UPDATE;
