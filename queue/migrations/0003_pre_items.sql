-- What is judged. Payload bytes lie in the object store; here are their names, sizes and hashes.

CREATE TABLE batches (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id int NOT NULL REFERENCES projects,
    created_by int NOT NULL REFERENCES people,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    closed_at  timestamptz);                          -- null: rows may still come (a stream that is being read, or was cut)
CREATE INDEX batches_project ON batches (project_id, id);

CREATE TABLE partitions (                             -- items of one partition_key of one project are handed out and applied in order
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id  int NOT NULL REFERENCES projects,
    key         text NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    accepted_no int NOT NULL,                         -- numbers given to items
    last_no     int NOT NULL DEFAULT 0,               -- items 1..last_no have their task
    settled_no  int NOT NULL DEFAULT 0,               -- items 1..settled_no have their outcome
    promoted_no int NOT NULL DEFAULT 0,               -- the one item that may be claimed
    effect_no   int NOT NULL DEFAULT 0,               -- effects are numbered, and applied in that order
    applied_no  int NOT NULL DEFAULT 0,
    UNIQUE (project_id, key),
    CONSTRAINT partitions_head_promoted CHECK (promoted_no = least(settled_no + 1, last_no)),   -- a lost wake-up can't be committed
    CHECK (last_no BETWEEN 0 AND accepted_no), CHECK (settled_no BETWEEN 0 AND last_no), CHECK (applied_no BETWEEN 0 AND effect_no));
CREATE INDEX partitions_behind ON partitions (id) WHERE applied_no < effect_no;

CREATE TABLE items (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id       int NOT NULL REFERENCES projects,
    batch_id         bigint NOT NULL REFERENCES batches,
    idempotency_key  text NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 200),
    source_hash      bytea NOT NULL CHECK (octet_length(source_hash) = 32),
    trace_id         text NOT NULL,
    priority         smallint NOT NULL CHECK (priority BETWEEN -10 AND 20),
    partition_id     bigint REFERENCES partitions,
    partition_no     int,
    evidence_version int NOT NULL DEFAULT 0,          -- the newest that is published; 0: none is durable yet
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    not_durable_in   int GENERATED ALWAYS AS (CASE WHEN evidence_version = 0 THEN project_id END) STORED,
    CONSTRAINT items_key_once UNIQUE (project_id, idempotency_key),
    CHECK ((partition_id IS NULL) = (partition_no IS NULL)));
CREATE INDEX        items_batch       ON items (batch_id);
CREATE INDEX        items_project     ON items (project_id, id);
CREATE INDEX        items_not_durable ON items (not_durable_in) WHERE not_durable_in IS NOT NULL;
CREATE UNIQUE INDEX items_partition   ON items (partition_id, partition_no) WHERE partition_id IS NOT NULL;

CREATE TABLE evidence (                               -- what an item consists of at one time
    item_id       bigint NOT NULL REFERENCES items,
    version       int NOT NULL CHECK (version > 0),
    title         text NOT NULL DEFAULT '',
    fields        text[] NOT NULL,                    -- names of the payload's fields
    created_by    int NOT NULL REFERENCES people,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    published_at  timestamptz,                        -- every part is durable and hashed
    publish_until timestamptz,                        -- the publisher's lease
    attempts      int NOT NULL DEFAULT 0,
    last_error    text,
    spooled_until timestamptz GENERATED ALWAYS AS (CASE WHEN published_at IS NULL THEN COALESCE(publish_until, '2000-01-01Z'::timestamptz) END) STORED,   -- named only by the publisher
    PRIMARY KEY (item_id, version));
CREATE INDEX evidence_spooled ON evidence (spooled_until, item_id) WHERE spooled_until IS NOT NULL;

CREATE TABLE evidence_parts (
    item_id      bigint NOT NULL,
    version      int NOT NULL,
    n            smallint NOT NULL CHECK (n >= 0),    -- 0: the payload's fields, payload.json
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    content_type text NOT NULL CHECK (length(content_type) BETWEEN 3 AND 200),
    size         bigint NOT NULL CHECK (size >= 0),
    sha256       bytea NOT NULL CHECK (octet_length(sha256) = 32),
    object_key   text NOT NULL,
    PRIMARY KEY (item_id, version, n),
    UNIQUE (item_id, version, name),
    FOREIGN KEY (item_id, version) REFERENCES evidence);

CREATE TABLE spool (                                  -- bytes on their way to the object store
    item_id bigint NOT NULL,
    version int NOT NULL,
    n       smallint NOT NULL,
    bytes   bytea NOT NULL,
    PRIMARY KEY (item_id, version, n),
    FOREIGN KEY (item_id, version, n) REFERENCES evidence_parts);

CREATE TABLE uploads (                                -- large files, sent ahead and named in an item's `files`
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id    uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    person_id    int NOT NULL REFERENCES people,
    customer_id  int REFERENCES customers,
    name         text NOT NULL,
    content_type text NOT NULL,
    size         bigint NOT NULL CHECK (size > 0),
    sha256       bytea NOT NULL CHECK (octet_length(sha256) = 32),
    object_key   text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp());

CREATE TABLE dead_letters (                           -- what was refused, with its bytes
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id      int NOT NULL REFERENCES projects,
    batch_id        bigint REFERENCES batches,
    idempotency_key text,
    source_hash     bytea NOT NULL CHECK (octet_length(source_hash) = 32),
    code            text NOT NULL,
    field           text NOT NULL DEFAULT '',
    detail          text NOT NULL,
    body            bytea NOT NULL,
    trace_id        text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX dead_letters_project ON dead_letters (project_id, id);
CREATE INDEX dead_letters_batch   ON dead_letters (batch_id, id);
