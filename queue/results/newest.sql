-- decisions: the newest that is committed. Ones with lower ids may still be on their way.
SELECT COALESCE(max(id), 0) AS id, clock_timestamp() AS server_now FROM decisions;
