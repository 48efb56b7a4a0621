-- What the control room shows, counted by workers: a page never reads history. Rows of project 0 are the whole desk's.
CREATE TABLE control_marks (                                           -- how far each count has come, and when; its row's lock is the turn
    name       text PRIMARY KEY,
    counted_at timestamptz,
    took       float8 NOT NULL DEFAULT 0,
    read_to    bigint NOT NULL DEFAULT 0,
    next_to    bigint NOT NULL DEFAULT 0,
    next_xmax  xid8,
    CONSTRAINT control_marks_in_order CHECK (read_to <= next_to)
);
INSERT INTO control_marks (name) VALUES ('decisions'), ('events'), ('open'), ('forecasts'), ('gaps');

CREATE TABLE control_queues (                                          -- what is open in each queue now
    queue_id   int PRIMARY KEY REFERENCES queues,
    project_id int NOT NULL REFERENCES projects,
    pending    int NOT NULL,
    held       int NOT NULL,
    blocked    int NOT NULL,
    paused     int NOT NULL,
    oldest     timestamptz,
    looks      int NOT NULL DEFAULT 0                                  -- of the last four weeks
);
CREATE INDEX control_queues_project ON control_queues (project_id);

CREATE TABLE control_hours (                                           -- items that came and were settled in an hour, and tasks open when it was last counted
    project_id int NOT NULL,
    hour       timestamptz NOT NULL,
    arrived    int NOT NULL DEFAULT 0,
    settled    int NOT NULL DEFAULT 0,
    reopened   int NOT NULL DEFAULT 0,
    open       int,
    PRIMARY KEY (project_id, hour)
);

CREATE TABLE control_leases (                                          -- tasks that ended on a day, by how many leases they had had; 6 stands for more
    project_id int NOT NULL,
    day        date NOT NULL,
    leases     smallint NOT NULL CHECK (leases BETWEEN 0 AND 6),
    tasks      int NOT NULL,
    PRIMARY KEY (project_id, day, leases)
);

CREATE TABLE control_reasons (                                         -- looks of a week, by the queue, the reason and what was said; overturned: of those
    queue_id    int NOT NULL REFERENCES queues,
    week        date NOT NULL,
    reason_code text NOT NULL,
    said        text NOT NULL,
    looks       int NOT NULL,
    overturned  int NOT NULL,
    PRIMARY KEY (queue_id, week, reason_code, said)
);

CREATE TABLE control_routes (                                          -- outcomes of a week, by what intake knew of their items; band n: under 10^n, 0: no variance
    queue_id       int NOT NULL REFERENCES queues,
    week           date NOT NULL,
    match_decision text NOT NULL,
    currency       text NOT NULL,
    band           smallint NOT NULL,
    said           text NOT NULL,
    outcomes       int NOT NULL,
    overturned     int NOT NULL,
    PRIMARY KEY (queue_id, week, match_decision, currency, band, said)
);

CREATE TABLE control_load (                                            -- what a person did on a day, in UTC
    day        date NOT NULL,
    person_id  int NOT NULL REFERENCES people,
    looks      int NOT NULL DEFAULT 0,
    seconds    float8 NOT NULL DEFAULT 0,
    overturned int NOT NULL DEFAULT 0,
    released   int NOT NULL DEFAULT 0,
    skipped    int NOT NULL DEFAULT 0,
    expired    int NOT NULL DEFAULT 0,
    PRIMARY KEY (day, person_id)
);

CREATE TABLE control_desk (                                            -- one row
    one              boolean PRIMARY KEY DEFAULT true CHECK (one),
    unapplied        int NOT NULL DEFAULT 0,
    given_up         int NOT NULL DEFAULT 0,
    oldest_unapplied timestamptz,
    letters          jsonb NOT NULL DEFAULT '{}',
    oldest_letter    timestamptz,
    finished         int NOT NULL DEFAULT 0,
    late             int NOT NULL DEFAULT 0,
    said             int NOT NULL DEFAULT 0,
    outside          int NOT NULL DEFAULT 0
);
INSERT INTO control_desk DEFAULT VALUES;

GRANT SELECT ON control_marks, control_queues, control_hours, control_leases, control_reasons, control_routes, control_load, control_desk
   TO claimcheck_web, claimcheck_worker;
GRANT INSERT, UPDATE ON control_queues, control_hours, control_leases, control_reasons, control_routes, control_load TO claimcheck_worker;
GRANT UPDATE ON control_marks, control_desk TO claimcheck_worker;
