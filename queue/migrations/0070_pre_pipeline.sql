-- The pipeline in front of the desk: what arrived, in whose order it is handled, by which settings, and what was decided about it.

CREATE TABLE pipeline_settings (                      -- append-only; the highest version is in force
    version    int PRIMARY KEY CHECK (version > 0),
    settings   jsonb NOT NULL,
    source     text NOT NULL CHECK (source IN ('default', 'file', 'page')),
    why        text NOT NULL CHECK (length(why) BETWEEN 1 AND 2000),
    created_by int NOT NULL REFERENCES people,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp());

CREATE TABLE messages (                               -- the idempotency ledger, append-only: a key is never forgotten
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,   -- given under the partition's lock: the order of a partition
    project_id      int NOT NULL REFERENCES projects,
    idempotency_key text NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 200),
    message_hash    bytea NOT NULL CHECK (octet_length(message_hash) = 32),   -- of the whole canonical message: sameness
    source_hash     bytea NOT NULL CHECK (octet_length(source_hash) = 32),    -- of idempotency_key:ledger_entity:variance_amount:match_decision
    trace_id        text NOT NULL CHECK (length(trace_id) BETWEEN 1 AND 200),
    partition_key   text NOT NULL CHECK (length(partition_key) BETWEEN 1 AND 200),
    ledger_entity   text NOT NULL CHECK (length(ledger_entity) BETWEEN 1 AND 200),
    currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    variance_amount numeric NOT NULL,
    match_decision  text NOT NULL CHECK (match_decision IN ('MATCHED', 'PARTIAL', 'UNMATCHED')),
    source          text NOT NULL CHECK (source IN ('http', 'file', 'stream', 'replay')),
    received_by     int NOT NULL REFERENCES people,
    received_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT messages_key_once UNIQUE (project_id, idempotency_key),
    CONSTRAINT messages_match_has_no_variance CHECK (match_decision <> 'MATCHED' OR variance_amount = 0));

CREATE TABLE inbox_partitions (                       -- who handles a partition's messages now: one handler at a time, oldest first
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id  int NOT NULL REFERENCES projects,
    key         text NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    open        int NOT NULL DEFAULT 0 CHECK (open >= 0),   -- messages in the inbox
    due         timestamptz NOT NULL DEFAULT clock_timestamp(),   -- not pulled before
    lease       uuid,
    lease_until timestamptz,
    pull_at     timestamptz GENERATED ALWAYS AS (CASE WHEN open > 0 THEN greatest(due, lease_until) END) STORED,   -- named only by the pull
    UNIQUE (project_id, key),
    CHECK ((lease IS NULL) = (lease_until IS NULL)));
CREATE INDEX inbox_partitions_pull ON inbox_partitions (pull_at) WHERE pull_at IS NOT NULL;

CREATE TABLE inbox (                                  -- messages that wait for their handler; handled ones leave it, so it is the size of the backlog
    message_id   bigint PRIMARY KEY REFERENCES messages,
    partition_id bigint NOT NULL REFERENCES inbox_partitions,
    attempts     int NOT NULL DEFAULT 0,              -- rises at the pull, so that a kill -9 counts
    last_error   text,
    body         bytea NOT NULL);                     -- the message as it came
CREATE INDEX inbox_order ON inbox (partition_id, message_id);
ALTER TABLE inbox ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE pipeline_records (                       -- append-only: one for each decision of the pipeline, written with what it decides
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    decision         text NOT NULL CHECK (decision IN ('admitted', 'repeated', 'refused', 'routed', 'resolved', 'handed_back', 'replayed')),
    project_id       int,
    message_id       bigint,
    idempotency_key  text,
    trace_id         text NOT NULL,
    source_hash      bytea,
    match_decision   text,
    currency         text,
    variance_amount  numeric,
    route            text CHECK (route IN ('AUTO_RESOLVE', 'ROUTE_REVIEW')),
    queue            text,
    item_id          bigint,
    dead_letter_id   bigint,
    code             text,
    worker           text NOT NULL,
    settings_version int NOT NULL,
    detail           jsonb NOT NULL DEFAULT '{}');
CREATE INDEX pipeline_records_message ON pipeline_records (message_id, id) WHERE message_id IS NOT NULL;
CREATE INDEX pipeline_records_trace   ON pipeline_records (trace_id, id);

CREATE TABLE pipeline_unlogged (                      -- records that are not in the log stream yet
    record_id bigint PRIMARY KEY REFERENCES pipeline_records);
CREATE FUNCTION log_later() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN INSERT INTO pipeline_unlogged SELECT id FROM made; RETURN NULL; END $$;
CREATE TRIGGER log_later AFTER INSERT ON pipeline_records REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION log_later();

CREATE TABLE pipeline_signals (                       -- what operators must know of, counted by the minute
    code             text NOT NULL CHECK (code IN ('QUEUE_SATURATED', 'LEASE_EXPIRED', 'POISON_MESSAGE', 'CONSUMER_LAG')),
    minute           timestamptz NOT NULL,
    n                bigint NOT NULL,
    last_at          timestamptz NOT NULL,
    last_trace_id    text,
    last_source_hash bytea,
    last_detail      text NOT NULL,
    PRIMARY KEY (code, minute));

CREATE TABLE pipeline_workers (                       -- the pools, each as it last said
    name             text PRIMARY KEY,
    source           text NOT NULL,
    settings_version int NOT NULL,
    started_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    stopped_at       timestamptz,
    state            text NOT NULL CHECK (state IN ('running', 'draining', 'stopped')),
    queued           int NOT NULL DEFAULT 0,          -- messages pulled and not begun
    in_flight        int NOT NULL DEFAULT 0,
    handled          bigint NOT NULL DEFAULT 0,
    measured         int NOT NULL DEFAULT 0,          -- handlers that p99_ms is measured over, at most the last 1,000
    p99_ms           float8);

-- A refused message may name no project that its sender may use; then the letter is its customer's, or nobody's but the operators'.
ALTER TABLE dead_letters
    ALTER COLUMN project_id DROP NOT NULL,
    ADD COLUMN customer_id int REFERENCES customers,
    ADD COLUMN source      text NOT NULL DEFAULT 'items' CHECK (source IN ('items', 'http', 'file', 'stream', 'replay', 'pool')),
    ADD COLUMN gate        text CHECK (gate IN ('structural', 'monetary', 'ordering', 'idempotency')),
    ADD COLUMN cause       text NOT NULL DEFAULT '',  -- a short stable name to group by, such as float_on_the_wire
    ADD COLUMN headers     jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN attempts    int NOT NULL DEFAULT 0,
    ADD COLUMN message_id  bigint REFERENCES messages,
    ADD COLUMN received_by int REFERENCES people;
CREATE INDEX dead_letters_cause ON dead_letters (code, cause, id);

CREATE TABLE dead_letter_replays (                    -- append-only: each replay, and what came of it
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    dead_letter_id bigint NOT NULL REFERENCES dead_letters,
    person_id      int NOT NULL REFERENCES people,
    body           bytea,                             -- null: as it was; else as it was edited
    result         text NOT NULL CHECK (result IN ('admitted', 'repeated', 'refused')),
    message_id     bigint REFERENCES messages,
    item_id        bigint REFERENCES items,
    again_id       bigint REFERENCES dead_letters,    -- refused again
    code           text,
    detail         text NOT NULL DEFAULT '',
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX dead_letter_replays_of ON dead_letter_replays (dead_letter_id, id);

-- An item stands in the queue that its route named; one that resolves by itself waits for its partition's turn in a lane where nobody claims.
ALTER TABLE items
    ADD COLUMN queue      text NOT NULL DEFAULT 'review',
    ADD COLUMN message_id bigint UNIQUE REFERENCES messages;
ALTER TABLE batches ADD COLUMN pipeline boolean NOT NULL DEFAULT false;   -- what came as messages
CREATE UNIQUE INDEX batches_pipeline ON batches (project_id) WHERE pipeline;
ALTER TABLE tasks
    DROP CONSTRAINT tasks_settled_by_all_looks,
    ADD CONSTRAINT tasks_settled_by_all_looks CHECK (ended_as IS NULL OR ended_as IN ('abandoned', 'returned') OR cardinality(votes) = wanted
                                                     OR (ended_as = 'decided' AND lease_count = 0));   -- or by nobody: the system's own outcome
CREATE FUNCTION item_queue(i items) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN i.queue = 'automatic' THEN 'review' ELSE i.queue END $$;

INSERT INTO skills (id, name) OVERRIDING SYSTEM VALUE VALUES (0, 'desk.automatic');   -- nobody's
ALTER TABLE person_skills ADD CONSTRAINT person_skills_of_people CHECK (skill_id <> 0);
INSERT INTO lanes (id, skill_id, tier, queue) OVERRIDING SYSTEM VALUE VALUES (0, 0, 0, 'automatic');
INSERT INTO queues (project_id, name, lane_id) SELECT id, 'automatic', 0 FROM projects;
INSERT INTO reason_codes (project_id, code, label, reserved)
SELECT id, 'auto_zero_variance', 'No variance is left', true FROM projects ON CONFLICT DO NOTHING;

DO $$ DECLARE t text; BEGIN
    FOREACH t IN ARRAY ARRAY['messages', 'pipeline_settings', 'pipeline_records', 'dead_letter_replays'] LOOP
        EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse()', t);
        EXECUTE format('CREATE TRIGGER no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse()', t);
        EXECUTE format('GRANT SELECT, INSERT ON %I TO claimcheck_web', t);
        EXECUTE format('GRANT SELECT ON %I TO claimcheck_worker', t);
    END LOOP;
END $$;
GRANT SELECT ON inbox_partitions, inbox, pipeline_unlogged, pipeline_signals, pipeline_workers TO claimcheck_web, claimcheck_worker;
GRANT INSERT ON inbox_partitions, inbox, pipeline_signals, pipeline_workers TO claimcheck_web;   -- the pool works with the web's rights: it takes items in
GRANT UPDATE (open, due, lease, lease_until) ON inbox_partitions TO claimcheck_web;
GRANT UPDATE (attempts, last_error) ON inbox TO claimcheck_web;
GRANT DELETE ON inbox, pipeline_unlogged TO claimcheck_web;
GRANT UPDATE (n, last_at, last_trace_id, last_source_hash, last_detail) ON pipeline_signals TO claimcheck_web;
GRANT UPDATE (source, settings_version, started_at, seen_at, stopped_at, state, queued, in_flight, handled, measured, p99_ms) ON pipeline_workers TO claimcheck_web;
