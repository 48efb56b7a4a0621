-- transactions: a number beyond that of every transaction that has written by now.
SELECT pg_current_xact_id()::text::bigint AS number;
