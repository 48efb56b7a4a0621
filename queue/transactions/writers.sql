-- transactions: those that write to one of these tables now. Whoever will write takes this lock first, before any number or id.
SELECT l.virtualtransaction AS writer
  FROM pg_locks l
 WHERE l.locktype = 'relation' AND l.relation = ANY (%(tables)s::text[]::regclass[]) AND l.mode = 'RowExclusiveLock' AND l.granted AND l.pid <> pg_backend_pid()
   AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database());
