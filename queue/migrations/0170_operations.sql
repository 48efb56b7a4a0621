-- Operations: which of the desk's programs were heard of, and whether they were asked to take nothing new.
CREATE TABLE processes (
    name       text PRIMARY KEY,                          -- host:pid
    kind       text NOT NULL CHECK (kind IN ('worker', 'dispatcher', 'publisher', 'intake')),
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    stopped_at timestamptz,
    resting    boolean NOT NULL DEFAULT false,            -- it knows that it is to take nothing new
    busy       int NOT NULL DEFAULT 0);                   -- what it still has in hand
CREATE TABLE drains (                                     -- the newest says how it is
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    draining  boolean NOT NULL,
    person_id int NOT NULL REFERENCES people,
    reason    text NOT NULL);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON drains FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON drains FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT, INSERT, DELETE ON processes TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (kind, started_at, seen_at, stopped_at, resting, busy) ON processes TO claimcheck_web, claimcheck_worker;
GRANT SELECT ON drains TO claimcheck_web, claimcheck_worker;
GRANT INSERT ON drains TO claimcheck_web;
