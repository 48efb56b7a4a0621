-- transactions: all with a lower number have ended.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS number;
