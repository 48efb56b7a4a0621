-- Batch decisions: alike items as a fixed list, a random sample of them opened by a lead, and only then the rest decided, each for itself.

-- What items are grouped by, kept when they come: queue, counterparty, match decision, currency, band of the variance. Null: from before this.
ALTER TABLE items ADD COLUMN alike text[];

CREATE FUNCTION variance_band(amount numeric) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN amount = 0 THEN '0'
                ELSE CASE WHEN amount < 0 THEN '-' ELSE '' END
                     || CASE WHEN abs(amount) < 1 THEN '0 to 1'
                             ELSE '1' || repeat('0', length(trunc(abs(amount))::text) - 1) || ' to 1' || repeat('0', length(trunc(abs(amount))::text)) END END $$;

CREATE FUNCTION alike_of(i items) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT ARRAY[i.queue, COALESCE(m.ledger_entity, n.key, ''), COALESCE(m.match_decision, ''), COALESCE(m.currency, ''), COALESCE(variance_band(m.variance_amount), '')]
      FROM (VALUES (1)) one LEFT JOIN messages m ON m.id = i.message_id LEFT JOIN partitions n ON n.id = i.partition_id $$;

CREATE FUNCTION keep_alike() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.alike := alike_of(NEW); RETURN NEW; END $$;
CREATE TRIGGER keep_alike BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION keep_alike();

-- Whether an item is one of a group: a part that is null fits all.
CREATE FUNCTION fits(alike text[], same text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT (same[1] IS NULL OR same[1] = alike[1]) AND (same[2] IS NULL OR same[2] = alike[2]) AND (same[3] IS NULL OR same[3] = alike[3])
       AND (same[4] IS NULL OR same[4] = alike[4]) AND (same[5] IS NULL OR same[5] = alike[5]) $$;

CREATE TABLE batch_decisions (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id      int NOT NULL REFERENCES projects,
    project_version int NOT NULL,
    led_by          int NOT NULL REFERENCES people,
    same            text[] NOT NULL,
    verdict         text,                             -- what is proposed for all of them
    answer          jsonb,
    reason_code     text NOT NULL,
    note            text NOT NULL,
    at_most         float8 NOT NULL,                  -- the project's rules when it began
    confidence      float8 NOT NULL,
    undo_seconds    int NOT NULL,
    most            int NOT NULL,                     -- items
    tolerate        int NOT NULL,                     -- wrong ones that the sample has room for
    sample_asked    int,
    state           text NOT NULL DEFAULT 'gathering',
    version         int NOT NULL DEFAULT 1,
    looked_to       bigint NOT NULL DEFAULT 0,        -- the last task that was looked at for the list
    members         int NOT NULL DEFAULT 0,
    seed            text,
    sample_size     int,
    drawn           int NOT NULL DEFAULT 0,           -- places of the draw that were given
    looked          int,                              -- what the decision to go on stood on
    wrong           int,
    rest            int,
    upper           int,
    why             text,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    touched_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    undo_until      timestamptz,
    undone_by       int REFERENCES people,
    CONSTRAINT batch_decisions_sound CHECK (
        state = ANY ('{gathering,sampling,deciding,decided,undoing,undone,dropping,dropped}'::text[])
        AND cardinality(same) = 5 AND num_nonnulls(verdict, answer) = 1 AND verdict = ANY ('{approve,reject}'::text[])
        AND at_most > 0 AND at_most < 1 AND confidence >= 0.5 AND confidence < 1 AND undo_seconds BETWEEN 0 AND 86400
        AND members <= most AND most BETWEEN 1 AND 5000 AND tolerate BETWEEN 0 AND 5 AND (seed IS NULL) = (sample_size IS NULL)),
    CONSTRAINT batch_decisions_bound_met CHECK (              -- nothing is decided unseen before the sample says how good it is
        state NOT IN ('deciding', 'decided', 'undoing', 'undone') OR (upper <= at_most * rest) IS TRUE));
CREATE INDEX batch_decisions_project ON batch_decisions (project_id, id);
CREATE INDEX batch_decisions_work ON batch_decisions (touched_at) WHERE state IN ('gathering', 'sampling', 'deciding', 'undoing', 'dropping');

-- The fixed list, with what each item was when it was listed.
CREATE TABLE batch_members (
    batch_id      bigint NOT NULL REFERENCES batch_decisions,
    n             int NOT NULL,
    item_id       bigint NOT NULL REFERENCES items,
    task_id       bigint NOT NULL REFERENCES tasks,
    evidence_hash bytea NOT NULL,
    CONSTRAINT batch_members_pkey PRIMARY KEY (batch_id, n));

-- The sample: `place` counts in the order that the seed gives; a later place stands in for one that came to nothing.
CREATE TABLE batch_draws (
    batch_id bigint NOT NULL REFERENCES batch_decisions,
    place    int NOT NULL,
    n        int NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT batch_draws_pkey PRIMARY KEY (batch_id, place),
    FOREIGN KEY (batch_id, n) REFERENCES batch_members (batch_id, n));

-- What came of each member, once.
CREATE TABLE batch_ends (
    batch_id    bigint NOT NULL REFERENCES batch_decisions,
    n           int NOT NULL,
    came_to     text NOT NULL CHECK (came_to IN ('decided', 'opened', 'stale')),
    why         text,
    decision_id bigint REFERENCES decisions,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT batch_ends_once PRIMARY KEY (batch_id, n),
    FOREIGN KEY (batch_id, n) REFERENCES batch_members (batch_id, n),
    CONSTRAINT batch_ends_sound CHECK ((came_to = 'stale') = (why IS NOT NULL) AND (came_to = 'stale') = (decision_id IS NULL)));
CREATE UNIQUE INDEX batch_ends_decision ON batch_ends (decision_id) WHERE decision_id IS NOT NULL;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON batch_members FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON batch_members FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON batch_draws FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON batch_draws FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON batch_ends FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON batch_ends FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER no_delete BEFORE DELETE ON batch_decisions FOR EACH ROW EXECUTE FUNCTION refuse();

-- The only ways that a batch decision goes; each is counted, and noted by the statement that takes it.
CREATE FUNCTION move_batch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state = OLD.state THEN RETURN NEW; END IF;
    IF NOT (OLD.state, NEW.state) IN (('gathering', 'sampling'), ('gathering', 'dropping'), ('sampling', 'deciding'), ('sampling', 'dropping'), ('dropping', 'dropped'),
                                      ('deciding', 'decided'), ('deciding', 'undoing'), ('decided', 'undoing'), ('undoing', 'undone')) THEN
        RAISE EXCEPTION 'a batch decision never goes from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation', CONSTRAINT = 'batch_decisions_moves';
    END IF;
    NEW.version := OLD.version + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER move_batch BEFORE UPDATE ON batch_decisions FOR EACH ROW EXECUTE FUNCTION move_batch();

-- While it is on such a list a task is out of everybody's reach; one that was decided there keeps the list's number.
ALTER TABLE tasks
    ADD COLUMN held_for bigint REFERENCES batch_decisions,
    DROP CONSTRAINT tasks_settled_by_all_looks,
    ADD CONSTRAINT tasks_settled_by_all_looks CHECK (
        ended_as IS NULL OR ended_as IN ('abandoned', 'returned') OR cardinality(votes) = wanted OR (ended_as = 'decided' AND (lease_count = 0 OR held_for IS NOT NULL)));
ALTER TABLE tasks ALTER COLUMN state SET EXPRESSION AS (
    CASE WHEN ended_as = 'decided' THEN 'settled'
         WHEN ended_as IS NOT NULL THEN 'passed_on'
         WHEN cancelled_at IS NOT NULL THEN 'cancelled'
         WHEN held_for IS NOT NULL THEN 'held'
         WHEN waits THEN 'blocked'
         WHEN cardinality(seen_by) >= wanted THEN 'full'
         WHEN paused THEN 'paused'
         ELSE 'pending' END);

-- On a list a task does not go to the leads for having been left undecided: a lead has it.
CREATE OR REPLACE FUNCTION at_limit(t tasks) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT cardinality(t.seen_by) = cardinality(t.votes) + 1 AND t.lease_count - cardinality(t.votes) >= t.abandon_limit AND t.held_for IS NULL $$;

-- Whether a person may take this task by its item though it is held: whoever leads the batch decision, where it is in the sample.
CREATE FUNCTION sampled_by(t tasks, for_person int) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT t.held_for IS NOT NULL AND EXISTS (
               SELECT FROM batch_decisions b JOIN batch_draws d ON d.batch_id = b.id JOIN batch_members m ON m.batch_id = b.id AND m.n = d.n
                WHERE b.id = t.held_for AND b.led_by = for_person AND b.state = 'sampling' AND m.task_id = t.id) $$;

CREATE OR REPLACE FUNCTION lock_named(of_ids bigint[], in_lanes int[], for_person int, at timestamptz)
RETURNS TABLE (task tasks, lapsed_id bigint, lapsed_by int, may_hold boolean) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY                                                       -- a free seat,
    SELECT t, NULL::bigint, NULL::int, true FROM tasks t
     WHERE t.id = ANY (of_ids) AND CASE WHEN t.held_for IS NULL THEN t.lane_id = ANY (in_lanes) ELSE sampled_by(t, for_person) END
       AND NOT for_person = ANY (t.seen_by || t.barred)
       AND t.ended_as IS NULL AND t.cancelled_at IS NULL AND NOT t.waits AND NOT t.paused AND cardinality(t.seen_by) < t.wanted   -- pending, in words no index knows
     ORDER BY t.id LIMIT 1
       FOR NO KEY UPDATE OF t SKIP LOCKED;
    IF FOUND THEN RETURN; END IF;
    RETURN QUERY                                                       -- or one that somebody let lapse
    SELECT t, a.id, a.person_id, true FROM tasks t JOIN assignments a ON a.task_id = t.id
     WHERE t.id = ANY (of_ids) AND t.lane_id = ANY (in_lanes) AND t.state = 'full' AND NOT t.paused AND NOT for_person = ANY (t.seen_by || t.barred)
       AND a.ended_at IS NULL AND a.lease_expires <= at
     ORDER BY t.id LIMIT 1
       FOR NO KEY UPDATE OF t, a SKIP LOCKED;
END $$;

-- Effects that wait for an undo window, and those that were undone in it: they never happen.
ALTER TABLE outbox ADD COLUMN not_before timestamptz, ADD COLUMN undone boolean NOT NULL DEFAULT false;

-- Writes the next outcomes of a batch decision, at most `most`: one for each item, each under its own fence. What is stale goes back to its queue.
CREATE FUNCTION decide_batch(of_batch bigint, at_once int) RETURNS int LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
WITH batch AS MATERIALIZED (
    SELECT b.* FROM batch_decisions b WHERE b.id = of_batch AND b.state = 'deciding' FOR NO KEY UPDATE),
due AS MATERIALIZED (
    SELECT m.*, EXISTS (SELECT FROM batch_draws d WHERE d.batch_id = m.batch_id AND d.n = m.n) AS sampled
      FROM batch JOIN batch_members m ON m.batch_id = batch.id
     WHERE NOT EXISTS (SELECT FROM batch_ends e WHERE e.batch_id = m.batch_id AND e.n = m.n) ORDER BY m.n LIMIT at_once),
locked AS MATERIALIZED (
    SELECT t AS task, due.n, due.evidence_hash, due.sampled FROM due JOIN tasks t ON t.id = due.task_id ORDER BY t.id FOR NO KEY UPDATE OF t),
judged AS MATERIALIZED (
    SELECT l.*, look.id AS look_id,
           CASE WHEN l.sampled AND look.id IS NOT NULL THEN NULL
                WHEN (l.task).cancelled_at IS NOT NULL THEN 'the project was cancelled'
                WHEN (l.task).ended_as IS NOT NULL OR (l.task).held_for IS DISTINCT FROM batch.id THEN 'it was decided or moved otherwise'
                WHEN (l.task).evidence_hash <> l.evidence_hash THEN 'it changed since it was listed'
                WHEN cardinality((l.task).seen_by) > 0 THEN 'somebody holds it' END AS stale
      FROM locked l CROSS JOIN batch LEFT JOIN LATERAL (
           SELECT d.id FROM decisions d WHERE d.item_id = (l.task).item_id AND d.task_id = (l.task).id AND d.person_id = batch.led_by AND d.assignment_id IS NOT NULL) look ON true),
ended AS (
    UPDATE tasks t SET ended_as = 'decided', ended_at = clock_timestamp()
      FROM judged j WHERE t.id = (j.task).id AND j.stale IS NULL AND j.look_id IS NULL
    RETURNING t.id, t.item_id, t.project_id, t.partition_id, t.partition_no, t.evidence_version, t.shown_version, t.evidence_hash, t.ended_at, j.n),
given_back AS (
    UPDATE tasks t SET held_for = NULL FROM judged j WHERE t.id = (j.task).id AND j.stale IS NOT NULL AND (j.task).ended_as IS NULL AND t.held_for = of_batch),
outcome AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, evidence_version, shown_version, evidence_hash,
                           reason_code, note, created_at)
    SELECT ended.item_id, ended.id, ended.project_id, batch.project_version, batch.led_by, batch.verdict, batch.answer, COALESCE(batch.verdict, 'answer'), ended.evidence_version,
           ended.shown_version, ended.evidence_hash, batch.reason_code, batch.note, ended.ended_at
      FROM ended CROSS JOIN batch ORDER BY ended.n
    RETURNING id, item_id, task_id, project_id, outcome, created_at),
turn AS MATERIALIZED (                                                 -- locked in one order, as by intake and publishing
    SELECT p.id FROM partitions p WHERE p.id IN (SELECT partition_id FROM ended) ORDER BY p.key, p.id FOR NO KEY UPDATE),
next AS MATERIALIZED (
    SELECT n.id, n.partition_id, n.partition_no
      FROM turn JOIN ended ON ended.partition_id = turn.id
      JOIN tasks n ON n.partition_id = ended.partition_id AND n.partition_no = ended.partition_no + 1 AND n.waits
       FOR NO KEY UPDATE OF n),
promoted AS (
    UPDATE tasks n SET waits = false FROM next WHERE n.id = next.id RETURNING n.partition_id, n.partition_no),
wanted_effects AS MATERIALIZED (
    SELECT o.id AS decision_id, o.task_id, o.created_at, e.id AS effect_id, row_number() OVER (PARTITION BY o.id ORDER BY e.kind, e.id)::int AS nth,
           count(*) OVER (PARTITION BY o.id)::int AS of
      FROM outcome o JOIN effects e ON e.project_id = o.project_id AND o.outcome = ANY (e.on_outcomes)),
moved AS (                                                             -- partitions_head_promoted refuses this if an item came in unseen: run again
    UPDATE partitions p
       SET settled_no  = CASE WHEN ended.partition_no = p.settled_no + 1 THEN p.settled_no + 1 ELSE p.settled_no END,
           promoted_no = COALESCE(promoted.partition_no, p.promoted_no),
           effect_no   = p.effect_no + COALESCE((SELECT max(w.of) FROM wanted_effects w WHERE w.task_id = ended.id), 0)
      FROM ended LEFT JOIN promoted ON promoted.partition_id = ended.partition_id WHERE p.id = ended.partition_id
    RETURNING p.id, ended.id AS task_id, old.effect_no AS before),
queued AS (                                                            -- not before the undo window is over
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no, due, push_due, not_before)
    SELECT w.decision_id, w.effect_id, moved.id, moved.before + w.nth, at, at, at
      FROM wanted_effects w CROSS JOIN batch LEFT JOIN moved ON moved.task_id = w.task_id
     CROSS JOIN LATERAL (SELECT w.created_at + make_interval(secs => batch.undo_seconds)) open (at)
     ORDER BY w.decision_id, w.nth),
ends AS (
    INSERT INTO batch_ends (batch_id, n, came_to, why, decision_id)
    SELECT of_batch, j.n, CASE WHEN j.stale IS NOT NULL THEN 'stale' WHEN j.look_id IS NOT NULL THEN 'opened' ELSE 'decided' END, j.stale,
           COALESCE(j.look_id, (SELECT o.id FROM outcome o WHERE o.task_id = (j.task).id))
      FROM judged j
    RETURNING n),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'item.batch_decided', batch.led_by, o.project_id, o.item_id, o.task_id, o.id, jsonb_build_object('batch_decision', of_batch) FROM outcome o CROSS JOIN batch)
SELECT count(*)::int FROM ends $$;

-- Keeps effects that still wait for the window from ever happening: of one decision of a batch, or of all. Which decisions: those whose every effect could be kept.
CREATE FUNCTION keep_effects(of_batch bigint, of_decisions bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
WITH mine AS MATERIALIZED (
    SELECT e.decision_id, e.at + make_interval(secs => b.undo_seconds) AS until
      FROM batch_decisions b JOIN batch_ends e ON e.batch_id = b.id AND e.came_to = 'decided'
     WHERE b.id = of_batch AND (of_decisions IS NULL OR e.decision_id = ANY (of_decisions))
       AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = e.decision_id)),
rows AS MATERIALIZED (                                                 -- judged when locked: whoever leases one first has it
    SELECT o.id, o.decision_id FROM mine JOIN outbox o ON o.decision_id = mine.decision_id
     WHERE o.undone OR (o.state = 'pending' AND o.attempts = 0 AND o.not_before > clock_timestamp())
     ORDER BY o.id FOR NO KEY UPDATE OF o),
whole AS MATERIALIZED (
    SELECT mine.decision_id FROM mine
     WHERE (SELECT count(*) FROM rows r WHERE r.decision_id = mine.decision_id) = (SELECT count(*) FROM outbox o WHERE o.decision_id = mine.decision_id)
       AND (EXISTS (SELECT FROM rows r WHERE r.decision_id = mine.decision_id) OR mine.until > clock_timestamp())),
kept AS (
    UPDATE outbox o SET undone = true, due = clock_timestamp(), push_due = clock_timestamp() FROM rows JOIN whole USING (decision_id) WHERE o.id = rows.id AND NOT o.undone)
SELECT decision_id FROM whole $$;

-- Undoes outcomes of a batch whose effects never went out: superseded by a re-opening that has no effects either, once.
CREATE FUNCTION undo_batch(of_batch bigint, of_decisions bigint[], by_person int) RETURNS SETOF bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
WITH target AS MATERIALIZED (
    SELECT d.*, p.version FROM keep_effects(of_batch, of_decisions) k (id) JOIN decisions d ON d.id = k.id JOIN projects p ON p.id = d.project_id),
undone AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, evidence_version, shown_version, evidence_hash, reason_code, note)
    SELECT item_id, task_id, project_id, version, by_person, 'overturn', 'reopen', id, evidence_version, shown_version, evidence_hash, 'desk.undone', '' FROM target ORDER BY id
    RETURNING *),
reopened AS (
    SELECT o.id, raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                            ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'undone', by_person) AS task_id
      FROM undone o JOIN tasks t ON t.id = o.task_id JOIN items i ON i.id = o.item_id JOIN projects p ON p.id = o.project_id),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'decision.overturned', by_person, o.project_id, o.item_id, o.task_id, o.id,
           jsonb_build_object('supersedes', o.supersedes, 'reopened', reopened.task_id, 'batch_decision', of_batch)
      FROM undone o JOIN reopened ON reopened.id = o.id)
SELECT id FROM undone $$;

GRANT SELECT, INSERT ON batch_decisions, batch_members, batch_draws TO claimcheck_web, claimcheck_worker;
GRANT SELECT ON batch_ends TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (state, version, looked_to, members, seed, sample_size, drawn, looked, wrong, rest, upper, why, touched_at, undo_until, undone_by) ON batch_decisions TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (held_for) ON tasks TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (undone) ON outbox TO claimcheck_web, claimcheck_worker;
