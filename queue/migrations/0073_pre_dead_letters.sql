-- Dead letters as a work queue: those that nobody has replayed yet stand apart, so that the list stays the size of the work. And signals counted for good.

CREATE TABLE dead_letters_open (
    dead_letter_id bigint PRIMARY KEY REFERENCES dead_letters,
    code           text NOT NULL,
    cause          text NOT NULL,
    project_id     int,
    customer_id    int,                                -- whose it is; null: the desk's own
    bytes          bigint NOT NULL,
    created_at     timestamptz NOT NULL);
CREATE INDEX dead_letters_open_cause ON dead_letters_open (code, cause, dead_letter_id);

CREATE FUNCTION open_letters() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO dead_letters_open (dead_letter_id, code, cause, project_id, customer_id, bytes, created_at)
    SELECT d.id, d.code, d.cause, d.project_id, COALESCE(p.customer_id, d.customer_id), octet_length(d.body), d.created_at
      FROM made d LEFT JOIN projects p ON p.id = d.project_id;
    RETURN NULL;
END $$;
CREATE TRIGGER open_letters AFTER INSERT ON dead_letters REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION open_letters();
INSERT INTO dead_letters_open (dead_letter_id, code, cause, project_id, customer_id, bytes, created_at)
SELECT d.id, d.code, d.cause, d.project_id, COALESCE(p.customer_id, d.customer_id), octet_length(d.body), d.created_at
  FROM dead_letters d LEFT JOIN projects p ON p.id = d.project_id
 WHERE NOT EXISTS (SELECT FROM dead_letter_replays r WHERE r.dead_letter_id = d.id);

GRANT SELECT, DELETE, UPDATE (bytes) ON dead_letters_open TO claimcheck_web;   -- the update is for the row lock alone
GRANT SELECT ON dead_letters_open TO claimcheck_worker;

CREATE TABLE pipeline_signal_totals (                  -- since the beginning, for metrics: the minutes are many
    code text PRIMARY KEY CHECK (code IN ('QUEUE_SATURATED', 'LEASE_EXPIRED', 'POISON_MESSAGE', 'CONSUMER_LAG')),
    n    bigint NOT NULL DEFAULT 0);
INSERT INTO pipeline_signal_totals (code) VALUES ('QUEUE_SATURATED'), ('LEASE_EXPIRED'), ('POISON_MESSAGE'), ('CONSUMER_LAG');
GRANT SELECT, UPDATE (n) ON pipeline_signal_totals TO claimcheck_web;
GRANT SELECT ON pipeline_signal_totals TO claimcheck_worker;

CREATE UNIQUE INDEX dead_letter_replays_once ON dead_letter_replays (dead_letter_id, COALESCE(sha256(body), ''::bytea));   -- the same bytes of a letter go in once
CREATE INDEX dead_letter_replays_again ON dead_letter_replays (again_id) WHERE again_id IS NOT NULL;
