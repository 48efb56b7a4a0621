-- What open tasks have yet to follow of their project: a sweep that a crash cut off is finished by a publisher.
ALTER TABLE projects
    ADD COLUMN ranked_version int NOT NULL DEFAULT 1,   -- up to which version of the rules open tasks are ranked
    ADD COLUMN halt_no        int NOT NULL DEFAULT 0,   -- pauses, their ends and the cancellation
    ADD COLUMN halted_no      int NOT NULL DEFAULT 0,   -- those that open tasks follow
    ADD COLUMN sweep_until    timestamptz;              -- somebody is at it, and no publisher begins before
UPDATE projects SET ranked_version = version, halt_no = 1;   -- what was cut off before this is made good too
ALTER TABLE projects ADD CHECK (ranked_version <= version), ADD CHECK (halted_no <= halt_no);
CREATE INDEX projects_unswept ON projects (sweep_until) WHERE ranked_version < version OR halted_no < halt_no;
GRANT UPDATE (ranked_version, halt_no, halted_no, sweep_until) ON projects TO claimcheck_web;
GRANT UPDATE (ranked_version, halted_no, sweep_until) ON projects TO claimcheck_worker;

-- Whether a task's leases have all ended undecided, but for one, which ends now.
CREATE FUNCTION at_limit(t tasks) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT cardinality(t.seen_by) = cardinality(t.votes) + 1 AND t.lease_count - cardinality(t.votes) >= t.abandon_limit $$;

-- Whether what a look said is kept from others: its task may still get an independent one. Of a cancelled task that is so while a lease is live.
CREATE FUNCTION hides_looks(t tasks) RETURNS boolean LANGUAGE sql AS $$
    SELECT t.ended_as IS NULL AND (t.cancelled_at IS NULL OR EXISTS (
               SELECT FROM assignments a WHERE a.task_id = t.id AND a.ended_at IS NULL AND a.lease_expires > clock_timestamp())) $$;
