-- Operators' alerts: a condition of deploy/alerts.yml holds, until it does no more. What is to be told of it goes to the operators' webhook and mailboxes.
CREATE TABLE operator_alerts (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL,
    labels      text NOT NULL,                            -- queue=review
    severity    text NOT NULL,
    summary     text NOT NULL,
    description text NOT NULL,
    raised_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    cleared_at  timestamptz);
CREATE UNIQUE INDEX operator_alerts_once ON operator_alerts (name, labels) WHERE cleared_at IS NULL;
CREATE TABLE operator_notices (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    alert_id   bigint NOT NULL REFERENCES operator_alerts,
    over       boolean NOT NULL,                          -- told that it is over, or that it began
    person_id  int REFERENCES people,                     -- whose mailbox; null: the webhook
    state      text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done', 'dead')),
    attempts   int NOT NULL DEFAULT 0,
    due        timestamptz NOT NULL DEFAULT clock_timestamp(),   -- while somebody sends it: until when
    last_error text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT operator_notices_once UNIQUE NULLS NOT DISTINCT (alert_id, over, person_id));
CREATE INDEX operator_notices_due ON operator_notices (due) WHERE state = 'pending';
GRANT SELECT ON operator_alerts, operator_notices TO claimcheck_web;
GRANT SELECT, INSERT ON operator_alerts, operator_notices TO claimcheck_worker;
GRANT UPDATE (cleared_at) ON operator_alerts TO claimcheck_worker;
GRANT UPDATE (state, attempts, due, last_error) ON operator_notices TO claimcheck_worker;
