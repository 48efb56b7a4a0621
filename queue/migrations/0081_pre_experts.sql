-- Experts: gold, scores, pauses, agreement, adjudication, late looks.

-- What a skill asks of those who have it.
ALTER TABLE skills
    ADD COLUMN exam        boolean NOT NULL DEFAULT false,                                       -- who is new to it sits one first
    ADD COLUMN gold_rate   float8 NOT NULL DEFAULT 0.05 CHECK (gold_rate BETWEEN 0 AND 1),       -- of a person's tasks, once measured
    ADD COLUMN novice_rate float8 NOT NULL DEFAULT 0.2 CHECK (novice_rate BETWEEN 0 AND 1),      -- until 30 golds
    ADD COLUMN temperature float8 NOT NULL DEFAULT 1 CHECK (temperature >= 1),                   -- divides a posterior's log-odds (quality/temperature)
    ADD COLUMN newcomer    float8 NOT NULL DEFAULT 0.65 CHECK (newcomer BETWEEN 0 AND 1),        -- the weight of somebody of whom nothing is known
    ADD COLUMN weighs      boolean NOT NULL DEFAULT true,                                        -- false: its gold shows no gain over plain majority
    ADD COLUMN fitted_at   timestamptz;

ALTER TABLE person_skills
    ADD COLUMN pinned     boolean NOT NULL DEFAULT false,        -- the tier was set by hand, scores leave it alone
    ADD COLUMN novice     boolean NOT NULL DEFAULT false,        -- passed the exam, not yet 30 golds: never two of them on one item
    ADD COLUMN held_back  boolean NOT NULL DEFAULT false,        -- weighs too little (quality/weights.floor): gold only, until that changes
    ADD COLUMN looks      int NOT NULL DEFAULT 0,                -- submitted in this skill, gold among them
    ADD COLUMN gold_every smallint NOT NULL DEFAULT 0 CHECK (gold_every >= 0),   -- one in so many is gold; 0: none
    ADD COLUMN gold_salt  int NOT NULL DEFAULT (random() * 2147483647)::int,     -- where in each run of them, nobody can foretell
    ADD COLUMN extra_left smallint NOT NULL DEFAULT 0 CHECK (extra_left >= 0),   -- golds that a soft pause still asks for
    ADD COLUMN said       text NOT NULL DEFAULT '',              -- why the status is what it is, as the person reads it
    ADD COLUMN since      timestamptz NOT NULL DEFAULT clock_timestamp();
UPDATE person_skills SET pinned = tier > 0;

-- Gold: an item whose answer is known. Its copies (`items.gold`) look like any arrival; only a worker knows which copy is of which gold.
ALTER TABLE items ADD COLUMN gold boolean NOT NULL DEFAULT false;

CREATE TABLE golds (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item_id       bigint NOT NULL UNIQUE REFERENCES items,       -- whose evidence is copied
    project_id    int NOT NULL REFERENCES projects,
    skill_id      int NOT NULL REFERENCES skills,
    origin        text NOT NULL CHECK (origin IN ('adjudicated', 'given')),
    exposures     smallint NOT NULL DEFAULT 0 CHECK (exposures >= 0),   -- exams do not count
    max_exposures smallint NOT NULL DEFAULT 5 CHECK (max_exposures BETWEEN 1 AND 1000),
    made_by       int NOT NULL REFERENCES people,
    made_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    retired_at    timestamptz,
    retired_why   text CHECK (retired_why IN ('worn out', 'by hand')),
    CONSTRAINT golds_not_worn CHECK (exposures <= max_exposures),
    CHECK ((retired_at IS NULL) = (retired_why IS NULL)));
CREATE INDEX golds_live ON golds (skill_id, id) WHERE retired_at IS NULL;

CREATE TABLE gold_labels (                            -- apart from everything that a reviewer's request can reach (I14)
    gold_id  bigint PRIMARY KEY REFERENCES golds,
    accepted text[] NOT NULL CHECK (cardinality(accepted) BETWEEN 1 AND 20),   -- verdicts or canonical answers, any of them is right
    note     text NOT NULL DEFAULT '');

CREATE TABLE gold_exposures (                         -- a copy of a gold and the task that asks for a look at it
    task_id   bigint PRIMARY KEY REFERENCES tasks,
    gold_id   bigint NOT NULL REFERENCES golds,
    made_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    scored_at timestamptz);
CREATE UNIQUE INDEX gold_exposures_open ON gold_exposures (gold_id) WHERE scored_at IS NULL;   -- one copy at a time
CREATE INDEX        gold_exposures_gold ON gold_exposures (gold_id);

CREATE TABLE gold_results (
    decision_id bigint PRIMARY KEY REFERENCES decisions,
    person_id   int NOT NULL REFERENCES people,
    skill_id    int NOT NULL REFERENCES skills,
    item_id     bigint NOT NULL REFERENCES items,     -- the copy, which the person knows
    purpose     text NOT NULL CHECK (purpose IN ('exam', 'ordinary', 'extra')),
    correct     boolean NOT NULL,
    level       float8 NOT NULL,                      -- of the CUSUM after it (quality/cusum)
    at          timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX gold_results_person ON gold_results (person_id, skill_id, decision_id);

CREATE TABLE scores (                                 -- of a person in a skill; derived from gold_results and decisions, kept by workers
    person_id  int NOT NULL REFERENCES people,
    skill_id   int NOT NULL REFERENCES skills,
    ok         int NOT NULL DEFAULT 0,                -- golds answered rightly, of n; the exam among them
    n          int NOT NULL DEFAULT 0,
    exam_ok    int NOT NULL DEFAULT 0,
    exam_n     int NOT NULL DEFAULT 0,
    level      float8 NOT NULL DEFAULT 0,             -- CUSUM since the last alarm or resumption
    alarms     smallint NOT NULL DEFAULT 0,
    extra_ok   smallint NOT NULL DEFAULT 0,           -- of the golds that a soft pause asked for
    extra_n    smallint NOT NULL DEFAULT 0,
    peer_ok    float8 NOT NULL DEFAULT 0,             -- agreement with the others' weighted majority, leave-one-out
    peer_n     float8 NOT NULL DEFAULT 0,
    weight     float8 NOT NULL DEFAULT 0.65,          -- p of the posterior (quality/weights)
    mean       float8 NOT NULL DEFAULT 0.7,
    low        float8 NOT NULL DEFAULT 0,             -- the 5 % and 95 % bounds
    high       float8 NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (person_id, skill_id),
    CHECK (ok <= n), CHECK (exam_ok <= exam_n), CHECK (extra_ok <= extra_n));

CREATE TABLE appeals (                                -- a person asks a lead to look at their pause
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person_id   int NOT NULL REFERENCES people,
    skill_id    int NOT NULL REFERENCES skills,
    note        text NOT NULL CHECK (length(note) BETWEEN 1 AND 2000),
    asked_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    answered_by int REFERENCES people,
    answer      text,
    answered_at timestamptz,
    CHECK (num_nulls(answered_by, answer, answered_at) IN (0, 3)));
CREATE UNIQUE INDEX appeals_open ON appeals (person_id, skill_id) WHERE answered_at IS NULL;

CREATE TABLE late_looks (                             -- the opinion in a refused stale submit: kept, bound to nothing
    assignment_id bigint PRIMARY KEY REFERENCES assignments,
    task_id       bigint NOT NULL REFERENCES tasks,
    item_id       bigint NOT NULL,
    person_id     int NOT NULL REFERENCES people,
    verdict       text,
    answer        jsonb,
    reason_code   text NOT NULL,
    note          text NOT NULL DEFAULT '',
    at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (num_nonnulls(verdict, answer) = 1));
CREATE INDEX late_looks_item ON late_looks (item_id);

CREATE TABLE weighing (                               -- tasks of several looks that ended: a worker counts their agreement and takes them out
    task_id bigint PRIMARY KEY REFERENCES tasks);

-- Where a claim looks: gold lies in a lane of its own beside the skill's review lane; what looks dispute goes to the trusted.
ALTER TABLE lanes ADD COLUMN gold boolean NOT NULL DEFAULT false;
ALTER TABLE lanes DROP CONSTRAINT lanes_skill_id_tier_queue_id_key;
ALTER TABLE lanes ADD CONSTRAINT lanes_once UNIQUE (skill_id, tier, queue, gold) INCLUDE (id);
CREATE UNIQUE INDEX lanes_gold ON lanes (skill_id) WHERE gold;
DROP INDEX lanes_escalation;
CREATE INDEX lanes_led ON lanes (id) WHERE queue IN ('escalation', 'adjudication');
INSERT INTO lanes (skill_id, tier, queue) SELECT DISTINCT p.skill_id, 2, 'adjudication' FROM projects p;
INSERT INTO queues (project_id, name, lane_id)
SELECT p.id, 'adjudication', l.id FROM projects p JOIN lanes l ON l.skill_id = p.skill_id AND l.tier = 2 AND l.queue = 'adjudication';
INSERT INTO lanes (skill_id, tier, queue, gold) SELECT id, 0, 'review', true FROM skills WHERE id > 0;

-- Gold's copies are no part of a project's open work: they are withdrawn and paused by golds/follow.
ALTER TABLE tasks ALTER COLUMN open_in SET EXPRESSION AS (CASE WHEN ended_as IS NULL AND cancelled_at IS NULL AND kind <> 'gold' THEN project_id END);
ALTER TABLE tasks
    ADD COLUMN novice         boolean NOT NULL DEFAULT false,    -- a novice has or had a seat: the others are for those who were measured
    ADD COLUMN reserved_until timestamptz;                       -- kept for novices until then

-- Whether somebody may take a free seat of it: a novice's second seat is nobody's who is a novice too.
CREATE FUNCTION open_to(t tasks, as_novice boolean, now timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN as_novice THEN NOT t.novice ELSE t.novice OR t.reserved_until IS NULL OR t.reserved_until <= now END $$;

-- Whether the next look in this skill is a gold one: one place in each run of `gold_every`, never a run's last, so never two in a row.
CREATE FUNCTION gold_turn(s person_skills) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT s.gold_every > 0 AND s.looks % s.gold_every
         = (hashint8extended(s.looks / s.gold_every, s.gold_salt) & 65535) % greatest(s.gold_every - 1, 1) $$;

DROP FUNCTION lanes_of(integer, text);
-- Where a person may work: in the lanes of their skills up to their tier; in its gold lane alone while an exam, a soft pause or too little weight asks for gold, and when
-- it is gold's turn while live work waits beside it; a lead where leads are asked. Claims and counts ask this alone.
CREATE FUNCTION lanes_of(of_person integer, in_role text) RETURNS TABLE (id int, skill_id int, queue text, novice boolean) LANGUAGE sql STABLE AS $$
    SELECT l.id, l.skill_id, l.queue, s.novice AND NOT l.gold
      FROM person_skills s
     CROSS JOIN LATERAL (SELECT * FROM lanes l WHERE l.skill_id = s.skill_id AND l.tier <= s.tier OFFSET 0) l   -- from the person to the lanes, whatever a plan thinks
     WHERE s.person_id = of_person
       AND CASE WHEN NOT l.gold THEN s.status = 'active' AND NOT s.held_back
                                     AND l.queue <> 'escalation' AND (l.queue <> 'adjudication' OR in_role <> 'lead')
                WHEN s.status = 'soft_paused' THEN s.extra_left > 0
                WHEN s.status = 'active' AND NOT s.held_back THEN gold_turn(s) AND EXISTS (
                    SELECT FROM lanes live JOIN tasks t ON t.lane_id = live.id AND t.state = 'pending' AND NOT of_person = ANY (t.closed_to)
                     WHERE live.skill_id = s.skill_id AND live.tier <= s.tier AND live.queue = 'review' AND NOT live.gold)
                ELSE s.status IN ('exam', 'active') END
     UNION ALL
    SELECT l.id, l.skill_id, l.queue, false FROM lanes l WHERE in_role = 'lead' AND l.queue IN ('escalation', 'adjudication') $$;

-- Deadlines: a project about to miss its own is served more often, as long as it is.
ALTER TABLE projects
    ADD COLUMN boost      float8 NOT NULL DEFAULT 1 CHECK (boost BETWEEN 1 AND 64),
    ADD COLUMN boosted_at timestamptz,
    ADD COLUMN boost_off  boolean NOT NULL DEFAULT false;        -- a lead took it off: it stays off
CREATE OR REPLACE FUNCTION advance_clock(of_project int, of_lane int, of_priority smallint, n int, OUT last float8, OUT step float8) LANGUAGE plpgsql AS $$
BEGIN
    SELECT 1 / (p.weight * p.boost * 2 ^ of_priority) INTO step FROM projects p WHERE p.id = of_project;
    INSERT INTO project_clocks AS c (project_id, lane_id, priority, clock)
    SELECT of_project, of_lane, of_priority, n * step + COALESCE(
             (SELECT t.rank FROM tasks t WHERE t.lane_id = of_lane AND t.state = 'pending' ORDER BY t.rank LIMIT 1),
             (SELECT max(k.clock) FROM project_clocks k WHERE k.lane_id = of_lane), 0)
        ON CONFLICT (project_id, lane_id, priority) DO UPDATE SET clock = greatest(c.clock + n * step, excluded.clock)
    RETURNING c.clock INTO last;
END $$;

DO $$ DECLARE t text; BEGIN
    FOREACH t IN ARRAY ARRAY['gold_labels', 'gold_results', 'late_looks'] LOOP
        EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse()', t);
        EXECUTE format('CREATE TRIGGER no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse()', t);
    END LOOP;
END $$;
-- web: writes labels and reads none; knows no copy's gold
GRANT SELECT ON golds, gold_results, scores, appeals, late_looks TO claimcheck_web, claimcheck_worker;
GRANT INSERT ON golds, gold_labels, appeals, late_looks, weighing TO claimcheck_web;
GRANT UPDATE (max_exposures, retired_at, retired_why) ON golds TO claimcheck_web;
GRANT UPDATE (answered_by, answer, answered_at) ON appeals TO claimcheck_web;
GRANT UPDATE (exam, gold_rate, novice_rate) ON skills TO claimcheck_web;
GRANT UPDATE (pinned, novice, held_back, looks, gold_every, extra_left, said, since) ON person_skills TO claimcheck_web;
GRANT UPDATE (boost, boosted_at, boost_off) ON projects TO claimcheck_web;
GRANT INSERT, UPDATE ON scores TO claimcheck_web;     -- a lead's resumption sets the level back
GRANT UPDATE (novice, reserved_until) ON tasks TO claimcheck_web, claimcheck_worker;
-- worker
GRANT USAGE ON SEQUENCE items_id_seq TO claimcheck_worker;
GRANT SELECT, DELETE, UPDATE ON weighing TO claimcheck_worker;
GRANT SELECT ON gold_labels, gold_exposures TO claimcheck_worker;
GRANT INSERT ON batches, items, evidence, evidence_parts, gold_exposures, gold_results, scores, golds, gold_labels TO claimcheck_worker;
GRANT UPDATE (exposures, retired_at, retired_why) ON golds TO claimcheck_worker;
GRANT UPDATE (scored_at) ON gold_exposures TO claimcheck_worker;
GRANT UPDATE ON scores TO claimcheck_worker;
GRANT UPDATE (tier, status, novice, held_back, gold_every, extra_left, said, since) ON person_skills TO claimcheck_worker;
GRANT UPDATE (temperature, weighs, fitted_at, newcomer) ON skills TO claimcheck_worker;
GRANT UPDATE (boost, boosted_at) ON projects TO claimcheck_worker;
