-- What a project's counts are read from: rows that are few, found without reading the many.
ALTER TABLE tasks ADD COLUMN led_in int GENERATED ALWAYS AS (
    CASE WHEN ended_as IS NULL AND cancelled_at IS NULL AND kind IN ('escalation', 'adjudication') THEN project_id END) STORED;   -- named only by those who count leads' work
CREATE INDEX tasks_led           ON tasks (led_in) WHERE led_in IS NOT NULL;
CREATE INDEX decisions_overturns ON decisions (project_id, outcome) WHERE supersedes IS NOT NULL;
