-- Alerts: a project's deadline comes into danger, is past hope, or is safe again; once a change. Notices carry each to its webhook and to people's mailboxes.
CREATE TABLE alerts (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id       int NOT NULL REFERENCES projects,
    no               int NOT NULL,                       -- of the project's alerts: two workers can't raise the same change
    at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    state            text NOT NULL CHECK (state IN ('on_time', 'at_risk', 'late')),
    was              text NOT NULL CHECK (was IN ('on_time', 'at_risk', 'late')),
    deadline         timestamptz NOT NULL,
    miss_probability float8 CHECK (miss_probability BETWEEN 0 AND 1),
    eta              timestamptz,
    eta_low          timestamptz,
    eta_high         timestamptz,
    open_items       int NOT NULL,
    skill            text,                               -- what would help: so many more experts of it, or so many items fewer
    experts          int,
    items            int,
    CONSTRAINT alerts_in_order UNIQUE (project_id, no),
    CHECK (state <> was));

CREATE TABLE alert_notices (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    alert_id   bigint NOT NULL REFERENCES alerts,
    kind       text NOT NULL CHECK (kind IN ('webhook', 'email')),
    person_id  int REFERENCES people,                    -- whose mailbox
    state      text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done', 'dead')),
    attempts   int NOT NULL DEFAULT 0,
    due        timestamptz NOT NULL DEFAULT clock_timestamp(),   -- while somebody sends it: until when
    last_error text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    done_at    timestamptz,
    CHECK ((kind = 'email') = (person_id IS NOT NULL)),
    CHECK ((state = 'done') = (done_at IS NOT NULL)),
    CONSTRAINT alert_notices_once UNIQUE NULLS NOT DISTINCT (alert_id, kind, person_id));
CREATE INDEX alert_notices_due ON alert_notices (due) WHERE state = 'pending';

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON alerts FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON alerts FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON alerts, alert_notices TO claimcheck_web;
GRANT SELECT, INSERT ON alerts, alert_notices TO claimcheck_worker;
GRANT UPDATE (state, attempts, due, last_error, done_at) ON alert_notices TO claimcheck_worker;
