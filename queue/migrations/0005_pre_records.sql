-- What happens elsewhere, and what happened here.

CREATE TABLE outbox (                                 -- (decision, effect): to be applied. Postgres is the truth, RQ a doorbell
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    decision_id  bigint NOT NULL REFERENCES decisions,
    effect_id    int NOT NULL REFERENCES effects,
    partition_id bigint REFERENCES partitions,
    effect_no    int,
    state        text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'leased', 'done', 'dead', 'skipped')),
    attempts     int NOT NULL DEFAULT 0,
    pushes       int NOT NULL DEFAULT 0,
    due          timestamptz NOT NULL DEFAULT clock_timestamp(),   -- not tried before
    push_due     timestamptz NOT NULL DEFAULT clock_timestamp(),   -- the doorbell is not rung again before
    lease        uuid,
    lease_until  timestamptz,
    last_error   text,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    done_at      timestamptz,
    CONSTRAINT outbox_once UNIQUE (decision_id, effect_id),
    UNIQUE (partition_id, effect_no),
    CHECK ((partition_id IS NULL) = (effect_no IS NULL)),
    CHECK ((state = 'leased') = (lease IS NOT NULL)), CHECK ((lease IS NULL) = (lease_until IS NULL)), CHECK ((state = 'done') = (done_at IS NOT NULL)));
CREATE INDEX outbox_due  ON outbox (push_due) WHERE state IN ('pending', 'leased') AND partition_id IS NULL;
CREATE INDEX outbox_open ON outbox (created_at) WHERE state IN ('pending', 'leased', 'dead');
CREATE INDEX outbox_dead ON outbox (id) WHERE state = 'dead';

CREATE TABLE applied (
    decision_id bigint NOT NULL REFERENCES decisions,
    effect_id   int NOT NULL REFERENCES effects,
    applied_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT applied_once PRIMARY KEY (decision_id, effect_id));

CREATE TABLE standings (                              -- the in-database effect: what an item stands at
    item_id     bigint PRIMARY KEY REFERENCES items,
    decision_id bigint NOT NULL REFERENCES decisions,
    outcome     text NOT NULL,
    times       int NOT NULL DEFAULT 1,               -- effects applied to this item: a doubled one would show
    since       timestamptz NOT NULL DEFAULT clock_timestamp());

CREATE TABLE deliveries (                             -- each webhook call and its answer
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    effect_id   int NOT NULL REFERENCES effects,
    outbox_id   bigint REFERENCES outbox,             -- null: a test event
    webhook_id  text NOT NULL,
    attempt     int NOT NULL,
    status      int,
    error       text,
    excerpt     text NOT NULL DEFAULT '',
    seconds     float8 NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX deliveries_effect ON deliveries (effect_id, id);

CREATE TABLE events (                                 -- one row for each claim, release, expiry, submit, move and setting
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind          text NOT NULL,
    person_id     int NOT NULL,
    project_id    int,
    item_id       bigint,
    task_id       bigint,
    assignment_id bigint,
    decision_id   bigint,
    detail        jsonb NOT NULL DEFAULT '{}');
CREATE INDEX events_item   ON events (item_id, id) WHERE item_id IS NOT NULL;
CREATE INDEX events_person ON events (person_id, id);

CREATE TABLE access_events (                          -- each reveal of a payload, written before its first byte leaves
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    person_id        int NOT NULL REFERENCES people,
    item_id          bigint NOT NULL REFERENCES items,
    evidence_version int NOT NULL,
    part             text NOT NULL,
    purpose          text NOT NULL);
CREATE INDEX access_events_item   ON access_events (item_id, id);
CREATE INDEX access_events_person ON access_events (person_id, id);
