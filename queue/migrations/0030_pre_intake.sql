-- What intake and the publisher need beside the tables.

-- Evidence of an item whose partition is not that far yet is not looked at by the publisher; the predecessors' publishing wakes it.
ALTER TABLE evidence ADD COLUMN waits boolean NOT NULL DEFAULT false;
ALTER TABLE evidence ALTER COLUMN spooled_until SET EXPRESSION AS
    (CASE WHEN published_at IS NULL AND NOT waits THEN COALESCE(publish_until, created_at) END);   -- the oldest first; a lapsed lease is no newcomer

ALTER TABLE spool ALTER COLUMN bytes SET STORAGE EXTERNAL;   -- most payloads are compressed already, and none stays for long

ALTER TABLE batches ADD COLUMN repeated int NOT NULL DEFAULT 0;   -- rows that were here already

GRANT UPDATE (waits) ON evidence TO claimcheck_worker;
GRANT UPDATE (repeated) ON batches TO claimcheck_web;
GRANT USAGE ON SEQUENCE items_id_seq TO claimcheck_web;      -- a chunk's ids are given before its rows are inserted in the order of their keys
GRANT UPDATE (id) ON projects, queues TO claimcheck_worker;  -- it can't be used, id is an identity: it only allows the shared lock that publishing takes
