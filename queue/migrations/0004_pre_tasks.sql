-- The queue. A task's counters are what is left to do, and its state is computed from them: a state that contradicts them can't be stored.

CREATE TABLE tasks (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item_id          bigint NOT NULL REFERENCES items,
    project_id       int NOT NULL REFERENCES projects,
    parent_id        bigint UNIQUE REFERENCES tasks,  -- the task that ended in this one; one follow-up each
    kind             text NOT NULL CHECK (kind IN ('review', 'gold', 'adjudication', 'escalation', 'approval', 'relabel')),
    queue_id         int NOT NULL REFERENCES queues,
    lane_id          int NOT NULL REFERENCES lanes,
    priority         smallint NOT NULL CHECK (priority BETWEEN -10 AND 30),
    rank             float8 NOT NULL,                 -- the order inside a lane
    since            timestamptz NOT NULL,            -- the order between lanes: created_at, an urgent one counting as older
    wanted           smallint NOT NULL CHECK (wanted BETWEEN 1 AND 20),
    abandon_limit    smallint CHECK (abandon_limit > 0),   -- null: leads' work, it stays with them
    price_minor      bigint NOT NULL CHECK (price_minor >= 0),
    evidence_version int NOT NULL,
    shown_version    int NOT NULL,                    -- the project version in the hash
    evidence_hash    bytea NOT NULL CHECK (octet_length(evidence_hash) = 32),   -- here, so that the lock on the row covers it
    partition_id     bigint REFERENCES partitions,
    partition_no     int,
    waits            boolean NOT NULL DEFAULT false,  -- an older item of its partition is open
    paused           boolean NOT NULL DEFAULT false,
    seen_by          int[] NOT NULL DEFAULT '{}',     -- holds it or has submitted
    skipped_by       int[] NOT NULL DEFAULT '{}',     -- gets it after all other work
    barred           int[] NOT NULL DEFAULT '{}',     -- never gets it
    votes            text[] NOT NULL DEFAULT '{}',    -- the looks so far, verdict or canonical answer: other looks' decisions are outside a submit's snapshot
    lease_count      int NOT NULL DEFAULT 0,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_as         text CHECK (ended_as IN ('decided', 'escalated', 'disputed', 'abandoned', 'returned')),
    ended_at         timestamptz,
    cancelled_at     timestamptz,
    closed_to        int[] GENERATED ALWAYS AS (seen_by || skipped_by || barred) STORED,
    state            text GENERATED ALWAYS AS (CASE
        WHEN ended_as = 'decided' THEN 'settled'
        WHEN ended_as IS NOT NULL THEN 'passed_on'
        WHEN cancelled_at IS NOT NULL THEN 'cancelled'
        WHEN waits THEN 'blocked'
        WHEN cardinality(seen_by) >= wanted THEN 'full'
        WHEN paused THEN 'paused'
        ELSE 'pending' END) STORED,
    open_in          int GENERATED ALWAYS AS (CASE WHEN ended_as IS NULL AND cancelled_at IS NULL THEN project_id END) STORED,   -- named only by those who go through a project's open tasks
    CONSTRAINT tasks_looks_within_wanted CHECK (cardinality(votes) <= cardinality(seen_by) AND cardinality(seen_by) <= wanted
                                                AND cardinality(seen_by) <= lease_count),
    CONSTRAINT tasks_blocked_untouched CHECK (NOT waits OR (partition_id IS NOT NULL AND lease_count = 0 AND ended_as IS NULL)),
    CONSTRAINT tasks_settled_by_all_looks CHECK (ended_as IS NULL OR ended_as IN ('abandoned', 'returned') OR cardinality(votes) = wanted),
    CONSTRAINT tasks_leads_decide CHECK (kind NOT IN ('escalation', 'adjudication') OR ended_as IS NULL OR ended_as IN ('decided', 'returned')),
    CHECK ((ended_as IS NULL) = (ended_at IS NULL)), CHECK ((partition_id IS NULL) = (partition_no IS NULL)), CHECK (NOT barred && seen_by));
CREATE INDEX        tasks_claim   ON tasks (lane_id, rank) INCLUDE (since) WHERE state = 'pending';
CREATE UNIQUE INDEX tasks_waiting ON tasks (partition_id, partition_no) WHERE waits;
CREATE INDEX        tasks_open    ON tasks (open_in, id) WHERE open_in IS NOT NULL;   -- WHERE state IN ('pending', …) would be taken by the claim
CREATE INDEX        tasks_item    ON tasks (item_id);

CREATE TABLE assignments (                            -- a task in a reviewer's hands; the lease is its life
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task_id          bigint NOT NULL REFERENCES tasks,
    item_id          bigint NOT NULL,
    person_id        int NOT NULL REFERENCES people,
    lane_id          int NOT NULL,                    -- the task's, copied for the index (a foreign key would make every claim lock the lane)
    token            uuid NOT NULL DEFAULT gen_random_uuid(),
    lease_no         int NOT NULL,
    evidence_version int NOT NULL,
    evidence_hash    bytea NOT NULL,                  -- as it was at the claim
    claimed_at       timestamptz NOT NULL,
    lease_seconds    int NOT NULL,                    -- the terms at the claim
    idle_seconds     int NOT NULL,
    hold_until       timestamptz NOT NULL,
    lease_expires    timestamptz NOT NULL,
    may_be_last      boolean NOT NULL,                -- its lapse may be the one that escalates
    ended_at         timestamptz,
    end_reason       text CHECK (end_reason IN ('submitted', 'released', 'skipped', 'expired', 'revoked')),
    live_until       timestamptz GENERATED ALWAYS AS (CASE WHEN ended_at IS NULL THEN lease_expires END) STORED,   -- named only by those who look for lapsed leases
    last_until       timestamptz GENERATED ALWAYS AS (CASE WHEN ended_at IS NULL AND may_be_last THEN lease_expires END) STORED,   -- likewise, for leads
    UNIQUE (task_id, lease_no),
    CHECK ((ended_at IS NULL) = (end_reason IS NULL)), CHECK (ended_at >= claimed_at), CHECK (lease_expires <= hold_until),
    CONSTRAINT assignments_ended_in_time CHECK (end_reason NOT IN ('released', 'skipped') OR ended_at < lease_expires),
    CONSTRAINT assignments_expired_late  CHECK (end_reason <> 'expired' OR ended_at >= lease_expires));
CREATE UNIQUE INDEX assignments_one_live ON assignments (person_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX assignments_one_look ON assignments (task_id, person_id) WHERE end_reason IS NULL OR end_reason = 'submitted';
CREATE INDEX        assignments_expiry   ON assignments (lane_id, live_until) WHERE live_until IS NOT NULL;
CREATE INDEX        assignments_last     ON assignments (last_until) WHERE last_until IS NOT NULL;

CREATE TABLE decisions (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item_id          bigint NOT NULL REFERENCES items,
    task_id          bigint NOT NULL REFERENCES tasks,
    assignment_id    bigint UNIQUE REFERENCES assignments,   -- null: an overturn, or the system's outcome of several looks
    project_id       int NOT NULL,
    project_version  int NOT NULL,
    person_id        int NOT NULL REFERENCES people,
    verdict          text CHECK (verdict IN ('approve', 'reject', 'escalate', 'overturn')),
    answer           jsonb,
    outcome          text CHECK (outcome IN ('approve', 'reject', 'answer', 'reopen')),   -- what the item comes to by this row; null for a look that settles nothing
    supersedes       bigint REFERENCES decisions,
    evidence_version int NOT NULL,
    shown_version    int NOT NULL,
    evidence_hash    bytea NOT NULL CHECK (octet_length(evidence_hash) = 32),
    reason_code      text NOT NULL,
    note             text NOT NULL DEFAULT '' CHECK (length(note) <= 10000),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    FOREIGN KEY (project_id, reason_code) REFERENCES reason_codes,
    FOREIGN KEY (project_id, project_version) REFERENCES project_versions,
    CONSTRAINT decisions_superseded_once UNIQUE (supersedes),
    CHECK ((verdict = 'overturn') IS TRUE = (supersedes IS NOT NULL)),
    CHECK (verdict = 'overturn' OR num_nonnulls(verdict, answer) = 1),
    CHECK ((verdict = 'overturn') IS NOT TRUE OR (outcome IS NOT NULL AND (outcome = 'answer') = (answer IS NOT NULL))),
    CHECK (outcome IS DISTINCT FROM 'reopen' OR verdict = 'overturn'),
    CHECK (assignment_id IS NULL OR supersedes IS NULL));
CREATE INDEX decisions_item    ON decisions (item_id);
CREATE INDEX decisions_person  ON decisions (person_id, created_at);
CREATE INDEX decisions_results ON decisions (project_id, id) WHERE outcome IS NOT NULL;

CREATE TABLE payouts (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    assignment_id bigint NOT NULL REFERENCES assignments,
    person_id     int NOT NULL REFERENCES people,
    amount_minor  bigint NOT NULL,
    currency      text NOT NULL,
    reverses      bigint UNIQUE REFERENCES payouts,
    why           text NOT NULL DEFAULT 'look',
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (CASE WHEN reverses IS NULL THEN amount_minor >= 0 ELSE amount_minor <= 0 END));
CREATE UNIQUE INDEX payouts_once   ON payouts (assignment_id) WHERE reverses IS NULL;
CREATE INDEX        payouts_person ON payouts (person_id, id);

CREATE TABLE drafts (                                 -- an unfinished decision; it comes back with the task
    task_id   bigint NOT NULL REFERENCES tasks,
    person_id int NOT NULL REFERENCES people,
    body      jsonb NOT NULL,
    saved_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (task_id, person_id));

CREATE TABLE reconsiderations (                       -- a reviewer asks a lead to look at a decision of theirs again
    decision_id bigint PRIMARY KEY REFERENCES decisions,
    person_id   int NOT NULL REFERENCES people,
    note        text NOT NULL CHECK (length(note) BETWEEN 1 AND 2000),
    asked_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    answered_by int REFERENCES people,
    answer      text,
    answered_at timestamptz,
    CHECK (num_nulls(answered_by, answer, answered_at) IN (0, 3)));
CREATE INDEX reconsiderations_open ON reconsiderations (asked_at) WHERE answered_at IS NULL;
