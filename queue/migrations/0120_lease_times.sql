-- How long the latest leases lasted, a row a project, counted anew by a worker: times that rise, how many were decided then, how many ended without.
CREATE TABLE lease_times (
    project_id int PRIMARY KEY REFERENCES projects,
    counted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seconds    int[] NOT NULL,
    decided    int[] NOT NULL,
    undecided  int[] NOT NULL,
    CONSTRAINT lease_times_even CHECK (cardinality(seconds) = cardinality(decided) AND cardinality(seconds) = cardinality(undecided))
);
GRANT SELECT ON lease_times TO claimcheck_web, claimcheck_worker;
GRANT INSERT, UPDATE ON lease_times TO claimcheck_worker;
