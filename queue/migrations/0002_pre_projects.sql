-- What is asked, of whom, and what follows from the answer.

CREATE TABLE lanes (                                  -- skill × quality tier × queue name: where a claim looks
    id       int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    skill_id int NOT NULL REFERENCES skills,
    tier     smallint NOT NULL CHECK (tier BETWEEN 0 AND 3),
    queue    text NOT NULL CHECK (length(queue) BETWEEN 1 AND 60),
    UNIQUE (skill_id, tier, queue) INCLUDE (id));
CREATE INDEX lanes_escalation ON lanes (id) WHERE queue = 'escalation';   -- a lead's

CREATE TABLE projects (                               -- the rules in force that statements read; whole in project_versions
    id               int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id      int NOT NULL REFERENCES customers,
    name             text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    version          int NOT NULL DEFAULT 1,
    shown_version    int NOT NULL DEFAULT 1,          -- the last version that changed what is shown or asked: part of the evidence hash
    skill_id         int NOT NULL REFERENCES skills,
    wanted           smallint NOT NULL DEFAULT 1 CHECK (wanted BETWEEN 1 AND 20),
    lease_seconds    int NOT NULL DEFAULT 1800 CHECK (lease_seconds > 0),
    max_hold_seconds int NOT NULL DEFAULT 14400,
    idle_seconds     int NOT NULL DEFAULT 300 CHECK (idle_seconds > 0),
    abandon_limit    smallint NOT NULL DEFAULT 3 CHECK (abandon_limit > 0),
    weight           float8 NOT NULL DEFAULT 1 CHECK (weight > 0),
    priority         smallint NOT NULL DEFAULT 0 CHECK (priority BETWEEN -10 AND 20),
    deadline         timestamptz,
    price_minor      bigint NOT NULL DEFAULT 0 CHECK (price_minor >= 0),
    currency         text NOT NULL DEFAULT 'EUR' CHECK (currency ~ '^[A-Z]{3}$'),
    created_by       int NOT NULL REFERENCES people,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    paused_at        timestamptz,
    cancelled_at     timestamptz,
    CONSTRAINT projects_name_once UNIQUE (customer_id, name),
    CHECK (max_hold_seconds >= lease_seconds), CHECK (shown_version <= version));

CREATE TABLE project_versions (
    project_id    int NOT NULL REFERENCES projects,
    version       int NOT NULL CHECK (version > 0),
    shown_version int NOT NULL,
    rules         jsonb NOT NULL,
    created_by    int NOT NULL REFERENCES people,
    why           text NOT NULL DEFAULT '',
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT project_versions_once PRIMARY KEY (project_id, version));

CREATE TABLE queues (
    id            int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id    int NOT NULL REFERENCES projects,
    name          text NOT NULL,
    lane_id       int NOT NULL REFERENCES lanes,
    lease_seconds int CHECK (lease_seconds > 0),      -- null: the project's
    paused_at     timestamptz,
    UNIQUE (project_id, name));

CREATE TABLE project_clocks (                         -- fair rank: one clock a project, lane and priority
    project_id int NOT NULL REFERENCES projects,
    lane_id    int NOT NULL REFERENCES lanes,
    priority   smallint NOT NULL,
    clock      float8 NOT NULL,
    PRIMARY KEY (project_id, lane_id, priority));
CREATE INDEX project_clocks_lane ON project_clocks (lane_id);

CREATE TABLE reason_codes (                           -- a closed set; a code that was used is kept
    project_id int NOT NULL REFERENCES projects,
    code       text NOT NULL CHECK (length(code) BETWEEN 1 AND 100),
    label      text NOT NULL,
    reserved   boolean NOT NULL DEFAULT false,        -- for the system actor only
    retired    boolean NOT NULL DEFAULT false,
    PRIMARY KEY (project_id, code));

CREATE TABLE effects (                                -- what happens elsewhere when an item settles
    id            int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id    int NOT NULL REFERENCES projects,
    kind          text NOT NULL CHECK (kind IN ('standing', 'webhook')),
    on_outcomes   text[] NOT NULL,                    -- of approve, reject, answer, overturn
    url           text,
    sealed_secret bytea,
    switched_off  text,                               -- why: the receiver answered 410
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (project_id, kind),
    CHECK (on_outcomes <@ ARRAY['approve', 'reject', 'answer', 'overturn']),
    CHECK ((kind = 'webhook') = (url IS NOT NULL)), CHECK ((kind = 'webhook') = (sealed_secret IS NOT NULL)));
