-- Leads act on many items at once. The list is fixed first; then each item of it is done, or refused with the reason why, once, in a transaction of its own.
CREATE TABLE item_actions (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    asked_by   int NOT NULL REFERENCES people,
    kind       text NOT NULL CHECK (kind IN ('assign', 'move', 'prioritise', 'send_back', 'cancel')),
    what       jsonb NOT NULL,                                         -- assign: to, until; move: queue; prioritise: priority
    why        text NOT NULL CHECK (length(why) <= 2000),
    filters    jsonb,                                                  -- null: its items were named
    looked_to  text,                                                   -- the place where the search for them goes on
    state      text NOT NULL CHECK (state IN ('gathering', 'listed', 'acting', 'done', 'dropped')),
    members    int NOT NULL DEFAULT 0,
    acted      int NOT NULL DEFAULT 0,
    done       int NOT NULL DEFAULT 0,
    asked_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    touched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT item_actions_within CHECK (done <= acted AND acted <= members));
CREATE INDEX item_actions_open ON item_actions (touched_at) WHERE state IN ('gathering', 'acting');

CREATE TABLE item_action_members (
    action_id bigint NOT NULL REFERENCES item_actions,
    n         int NOT NULL CHECK (n > 0),
    item_id   bigint NOT NULL REFERENCES items,
    PRIMARY KEY (action_id, n),
    CONSTRAINT item_action_members_once UNIQUE (action_id, item_id));

CREATE TABLE item_action_ends (
    action_id bigint NOT NULL,
    n         int NOT NULL,
    done      boolean NOT NULL,
    why       text CHECK (done OR why IS NOT NULL),                    -- why not; of what was done, what is still to come
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (action_id, n),
    FOREIGN KEY (action_id, n) REFERENCES item_action_members);

CREATE TRIGGER no_change BEFORE UPDATE OR DELETE ON item_action_members FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_change BEFORE UPDATE OR DELETE ON item_action_ends    FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON item_action_members EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON item_action_ends    EXECUTE FUNCTION refuse();

-- A task that is kept for one person is in nobody's lane until they take it or the time is over. A person's own time tells a claim whether to look at all.
ALTER TABLE tasks  ADD COLUMN meant_for int REFERENCES people, ADD COLUMN meant_until timestamptz,
    ADD CONSTRAINT tasks_meant CHECK ((meant_for IS NULL) = (meant_until IS NULL));
ALTER TABLE people ADD COLUMN meant_until timestamptz;
ALTER TABLE items  ADD COLUMN prioritised_at timestamptz;
ALTER TABLE tasks ALTER COLUMN state SET EXPRESSION AS (
    CASE WHEN ended_as = 'decided' THEN 'settled'
         WHEN ended_as IS NOT NULL THEN 'passed_on'
         WHEN cancelled_at IS NOT NULL THEN 'cancelled'
         WHEN held_for IS NOT NULL THEN 'held'
         WHEN waits THEN 'blocked'
         WHEN cardinality(seen_by) >= wanted THEN 'full'
         WHEN paused THEN 'paused'
         WHEN meant_for IS NOT NULL THEN 'held'
         ELSE 'pending' END);
CREATE INDEX tasks_meant       ON tasks (meant_for)   WHERE meant_for IS NOT NULL;
CREATE INDEX tasks_meant_until ON tasks (meant_until) WHERE meant_until IS NOT NULL;
CREATE INDEX tasks_passed      ON tasks (stopped_in)  WHERE stopped_in IS NOT NULL AND waits;   -- cancelled before their partition's turn came

-- What was kept for somebody who comes for work: the oldest of it. Called by a claim where the person's own time says that there may be something.
CREATE FUNCTION lock_meant(in_lanes int[], for_person int, at timestamptz) RETURNS SETOF tasks LANGUAGE sql AS $$
    SELECT t.* FROM tasks t
     WHERE t.meant_for = for_person AND t.meant_until > at AND t.state = 'held' AND t.held_for IS NULL AND t.lane_id = ANY (in_lanes)
       AND NOT for_person = ANY (t.seen_by || t.barred)
     ORDER BY t.since LIMIT 1
       FOR NO KEY UPDATE OF t SKIP LOCKED $$;

CREATE OR REPLACE FUNCTION lock_named(of_ids bigint[], in_lanes int[], for_person int, at timestamptz)
RETURNS TABLE (task tasks, lapsed_id bigint, lapsed_by int, may_hold boolean) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY                                                       -- a free seat,
    SELECT t, NULL::bigint, NULL::int, true FROM tasks t
     WHERE t.id = ANY (of_ids) AND CASE WHEN t.held_for IS NULL THEN t.lane_id = ANY (in_lanes) ELSE sampled_by(t, for_person) END
       AND NOT for_person = ANY (t.seen_by || t.barred) AND (t.meant_for IS NULL OR t.meant_for = for_person OR t.meant_until <= at)
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

-- An item's priority now: as it came, or as a lead set it later, moved by what its project's priority has changed by since.
CREATE OR REPLACE FUNCTION item_priority(i items) RETURNS smallint LANGUAGE sql STABLE AS $$
    SELECT least(greatest(i.priority + p.priority - COALESCE(
               (SELECT (v.rules ->> 'priority')::int FROM project_versions v
                 WHERE v.project_id = i.project_id AND v.created_at <= COALESCE(i.prioritised_at, i.created_at) ORDER BY v.version DESC LIMIT 1), p.priority), -10), 20)::smallint
      FROM projects p WHERE p.id = i.project_id $$;

-- A partition's turn goes past an item that was cancelled alone, and past those behind it: each number is settled, the next that goes on is promoted.
-- `partitions_head_promoted` refuses this if an item came in unseen: run again.
CREATE FUNCTION cancelled_alone(t tasks) RETURNS boolean LANGUAGE sql AS $$
    SELECT t.cancelled_at IS NOT NULL AND EXISTS (SELECT FROM events e WHERE e.item_id = t.item_id AND e.kind = 'item.cancelled') $$;

CREATE FUNCTION pass_turn(of_partition bigint, of_no int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n tasks; last int := of_no;
BEGIN
    LOOP
        SELECT t.* INTO n FROM tasks t WHERE t.partition_id = of_partition AND t.partition_no = last + 1 AND t.waits FOR NO KEY UPDATE;
        UPDATE tasks SET waits = false WHERE id = n.id;
        EXIT WHEN n.id IS NULL OR NOT cancelled_alone(n);
        last := last + 1;
    END LOOP;
    UPDATE partitions p SET settled_no = last, promoted_no = CASE WHEN n.id IS NULL THEN last ELSE last + 1 END
     WHERE p.id = of_partition AND p.settled_no = of_no - 1;
END $$;

CREATE FUNCTION pass_cancelled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM partitions p WHERE p.id = NEW.partition_id AND p.settled_no = NEW.partition_no - 1) AND cancelled_alone(NEW) THEN
        PERFORM pass_turn(NEW.partition_id, NEW.partition_no);
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER pass_cancelled AFTER UPDATE OF waits ON tasks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.waits AND NOT NEW.waits AND OLD.cancelled_at IS NOT NULL) EXECUTE FUNCTION pass_cancelled();   -- deferred: the partition's row has moved by then

-- Those behind the head of a cancelled project's partition keep waiting, so that who holds the head can still settle it.
UPDATE tasks t SET waits = true FROM partitions p
 WHERE p.id = t.partition_id AND t.cancelled_at IS NOT NULL AND t.ended_as IS NULL AND NOT t.waits AND t.lease_count = 0 AND t.parent_id IS NULL AND t.partition_no > p.promoted_no;

GRANT SELECT, INSERT ON item_actions, item_action_members TO claimcheck_web, claimcheck_worker;
GRANT SELECT ON item_action_ends TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (looked_to, state, members, touched_at) ON item_actions TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (meant_for, meant_until) ON tasks TO claimcheck_web, claimcheck_worker;
