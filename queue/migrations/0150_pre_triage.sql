-- What leads search items by. Each index has one searcher: the three columns are named by queue/triage/ alone.
ALTER TABLE tasks
    ADD COLUMN open_id    bigint GENERATED ALWAYS AS (CASE WHEN ended_as IS NULL AND cancelled_at IS NULL AND kind <> 'gold' THEN id END) STORED,
    ADD COLUMN open_queue int    GENERATED ALWAYS AS (CASE WHEN ended_as IS NULL AND cancelled_at IS NULL AND kind <> 'gold' THEN queue_id END) STORED,
    ADD COLUMN led_id     bigint GENERATED ALWAYS AS (CASE WHEN ended_as IS NULL AND cancelled_at IS NULL AND kind IN ('escalation', 'adjudication') THEN id END) STORED,
    ADD COLUMN stopped_in int    GENERATED ALWAYS AS (CASE WHEN ended_as IS NULL AND cancelled_at IS NOT NULL THEN project_id END) STORED;
CREATE UNIQUE INDEX tasks_open_id    ON tasks (open_id)         WHERE open_id IS NOT NULL;
CREATE INDEX        tasks_open_queue ON tasks (open_queue, id)  WHERE open_queue IS NOT NULL;
CREATE UNIQUE INDEX tasks_led_id     ON tasks (led_id)          WHERE led_id IS NOT NULL;
CREATE INDEX        tasks_stopped    ON tasks (stopped_in, id)  WHERE stopped_in IS NOT NULL;
CREATE INDEX items_trace      ON items ((hashtextextended(trace_id, 0)), id);          -- eight bytes, where the text may have two hundred
CREATE INDEX items_key        ON items ((hashtextextended(idempotency_key, 0)), id);
CREATE INDEX messages_amount  ON messages (project_id, (abs(variance_amount)), id);
CREATE INDEX decisions_reason ON decisions (project_id, reason_code, id);
CREATE INDEX decisions_settling ON decisions (item_id, id) WHERE outcome IS NOT NULL;
