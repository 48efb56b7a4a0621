-- Overturning in bulk: outcomes that were found by who, why and when, as a fixed list that another lead approves, and then superseded one by one.

CREATE TABLE bulk_overturns (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id     int NOT NULL REFERENCES projects,
    shown_version  int NOT NULL,                      -- what the project asked when this began
    requested_by   int NOT NULL REFERENCES people,
    reviewer_id    int REFERENCES people,             -- which outcomes: whose, for what reason, of which route, what they say, from when to when
    reason         text,
    queue          text,
    match_decision text,
    stood          text,
    since          timestamptz NOT NULL,
    until          timestamptz NOT NULL,
    outcome        text NOT NULL,                     -- what is to hold instead
    answer         jsonb,
    reason_code    text NOT NULL,
    note           text NOT NULL,
    most           int NOT NULL,
    state          text NOT NULL DEFAULT 'gathering',
    version        int NOT NULL DEFAULT 1,
    moved_by       int NOT NULL REFERENCES people,
    moved_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    why            text NOT NULL DEFAULT '',          -- what whoever moved it said
    approved_by    int REFERENCES people,
    place_at       timestamptz NOT NULL,              -- how far the walk is that makes the list
    place_id       bigint NOT NULL,
    listed         int NOT NULL DEFAULT 0,
    whole          boolean NOT NULL DEFAULT true,     -- whether the list holds all that was asked for
    reached        int NOT NULL DEFAULT 0,            -- the last of the list that was seen to
    overturned     int NOT NULL DEFAULT 0,
    left_out       int NOT NULL DEFAULT 0,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    touched_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    FOREIGN KEY (project_id, reason_code) REFERENCES reason_codes (project_id, code),
    CONSTRAINT bulk_overturns_sound CHECK (
        state = ANY ('{gathering,listed,pending,rejected,withdrawn,running,paused,stopped,done}'::text[])
        AND outcome = ANY ('{approve,reject,answer,reopen}'::text[]) AND (outcome = 'answer') = (answer IS NOT NULL) AND length(note) <= 10000
        AND length(why) <= 2000 AND most BETWEEN 1 AND 5000 AND listed <= most AND reached <= listed AND overturned + left_out <= listed
        AND (approved_by IS NOT NULL) = (state = ANY ('{running,paused,stopped,done}'::text[])) AND approved_by <> requested_by));
CREATE INDEX bulk_overturns_project ON bulk_overturns (project_id, id);
CREATE INDEX bulk_overturns_pending ON bulk_overturns (moved_at) WHERE state = 'pending';
CREATE INDEX bulk_overturns_work ON bulk_overturns (touched_at) WHERE state IN ('gathering', 'running');

-- The fixed list, with what each item was when it was listed.
CREATE TABLE bulk_overturn_members (
    bulk_id          bigint NOT NULL REFERENCES bulk_overturns,
    n                int NOT NULL,
    decision_id      bigint NOT NULL REFERENCES decisions,
    item_id          bigint NOT NULL REFERENCES items,
    task_id          bigint NOT NULL REFERENCES tasks,
    evidence_hash    bytea NOT NULL,
    evidence_version int NOT NULL,                    -- the item's newest
    CONSTRAINT bulk_overturn_members_pkey PRIMARY KEY (bulk_id, n),
    CONSTRAINT bulk_overturn_members_once UNIQUE (bulk_id, decision_id));

-- What came of each, once.
CREATE TABLE bulk_overturn_ends (
    bulk_id     bigint NOT NULL REFERENCES bulk_overturns,
    n           int NOT NULL,
    came_to     text NOT NULL CHECK (came_to IN ('overturned', 'left_out')),
    why         text,
    decision_id bigint REFERENCES decisions,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT bulk_overturn_ends_once PRIMARY KEY (bulk_id, n),
    FOREIGN KEY (bulk_id, n) REFERENCES bulk_overturn_members (bulk_id, n),
    CONSTRAINT bulk_overturn_ends_sound CHECK ((came_to = 'left_out') = (why IS NOT NULL) AND (came_to = 'left_out') = (decision_id IS NULL)));

-- Who had how many of its items in their hands when it was made, a piece of the list at a time: none of them approves it.
CREATE TABLE bulk_overturn_hands (
    bulk_id   bigint NOT NULL REFERENCES bulk_overturns,
    from_n    int NOT NULL,
    person_id int NOT NULL REFERENCES people,
    items     int NOT NULL,
    PRIMARY KEY (bulk_id, person_id, from_n));

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON bulk_overturn_members FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON bulk_overturn_members FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON bulk_overturn_ends FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON bulk_overturn_ends FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON bulk_overturn_hands FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON bulk_overturn_hands FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER no_delete BEFORE DELETE ON bulk_overturns FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON bulk_overturns FOR EACH STATEMENT EXECUTE FUNCTION refuse();

-- Whether somebody may approve a list: another lead, no program, who had none of its items in their hands when it was made.
CREATE FUNCTION new_to_bulk(b bulk_overturns, person int) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT person <> b.requested_by AND EXISTS (SELECT FROM people l WHERE l.id = person AND l.role = 'lead' AND l.disabled_at IS NULL AND NOT l.program)
       AND NOT EXISTS (SELECT FROM bulk_overturn_hands h WHERE h.bulk_id = b.id AND h.person_id = person) $$;

-- The only ways that it goes, and who takes them; each is one version further, and an event that says who and why.
CREATE FUNCTION move_bulk_overturn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.state = OLD.state THEN
        IF (NEW.version, NEW.approved_by, NEW.moved_by, NEW.why) IS NOT DISTINCT FROM (OLD.version, OLD.approved_by, OLD.moved_by, OLD.why) THEN RETURN NEW; END IF;
    ELSIF (CASE WHEN TG_OP = 'INSERT' THEN (NEW.state, NEW.version, NEW.moved_by) = ('gathering', 1, NEW.requested_by)
               WHEN NEW.state = 'running' AND OLD.state = 'pending' THEN NEW.approved_by = NEW.moved_by
               WHEN NEW.approved_by IS DISTINCT FROM OLD.approved_by THEN false
               ELSE (OLD.state, NEW.state) IN (('gathering', 'listed'), ('running', 'paused'), ('running', 'stopped'), ('paused', 'running'), ('paused', 'stopped'))
                    OR (OLD.state, NEW.state) = ('listed', 'pending') AND NEW.moved_by = OLD.requested_by AND OLD.left_out < OLD.listed
                    OR (OLD.state, NEW.state) = ('pending', 'rejected') AND NEW.moved_by <> OLD.requested_by
                    OR (OLD.state, NEW.state) IN (('gathering', 'withdrawn'), ('listed', 'withdrawn'), ('pending', 'withdrawn')) AND NEW.moved_by = OLD.requested_by
                    OR (OLD.state, NEW.state) = ('running', 'done') AND OLD.reached = OLD.listed END) THEN
        IF TG_OP = 'UPDATE' AND OLD.state = 'pending' AND NEW.state = 'running' AND NOT new_to_bulk(OLD, NEW.approved_by) THEN
            RAISE EXCEPTION 'whoever approves it is another lead, and new to its items' USING ERRCODE = 'check_violation', CONSTRAINT = 'bulk_overturns_eyes';
        END IF;
        IF TG_OP = 'UPDATE' THEN NEW.version := OLD.version + 1; NEW.moved_at := clock_timestamp(); NEW.touched_at := clock_timestamp(); END IF;
        INSERT INTO events (kind, person_id, project_id, detail)
        VALUES ('bulk_overturn.' || CASE WHEN TG_OP = 'INSERT' THEN 'begun' WHEN (OLD.state, NEW.state) = ('pending', 'running') THEN 'approved'
                                         WHEN NEW.state = 'running' THEN 'resumed' WHEN NEW.state = 'pending' THEN 'asked' ELSE NEW.state END,
                NEW.moved_by, NEW.project_id, jsonb_strip_nulls(jsonb_build_object('bulk_overturn', NEW.id, 'version', NEW.version, 'why', NULLIF(NEW.why, ''))));
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a bulk overturn never goes from % to % like this', CASE TG_OP WHEN 'UPDATE' THEN OLD.state END, NEW.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'bulk_overturns_moves';
END $$;
CREATE TRIGGER moved BEFORE INSERT OR UPDATE ON bulk_overturns FOR EACH ROW EXECUTE FUNCTION move_bulk_overturn();

-- The list is made while it is gathered, and never again.
CREATE FUNCTION keep_bulk_list() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM bulk_overturns b WHERE b.id = NEW.bulk_id AND b.state = 'gathering') THEN
        RAISE EXCEPTION 'its list is fixed' USING ERRCODE = 'check_violation', CONSTRAINT = 'bulk_overturns_fixed';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fixed BEFORE INSERT ON bulk_overturn_members FOR EACH ROW EXECUTE FUNCTION keep_bulk_list();
CREATE TRIGGER fixed BEFORE INSERT ON bulk_overturn_hands FOR EACH ROW EXECUTE FUNCTION keep_bulk_list();

-- An outcome of an approved list says so.
ALTER TABLE decisions
    ADD COLUMN bulk_overturn_id bigint REFERENCES bulk_overturns,
    DROP CONSTRAINT decisions_approved,
    ADD CONSTRAINT decisions_approved CHECK (num_nonnulls(approval_id, bulk_overturn_id) = num_nonnulls(approved_by) AND (approved_by IS NULL OR outcome IS NOT NULL)
                                             AND approved_by <> person_id AND (bulk_overturn_id IS NULL OR supersedes IS NOT NULL));

-- The server's word on it: an outcome that needs a second pair of eyes is not written without them, by whatever statement. Those of a list are its approver's,
-- who had no item of it in their hands to this moment; and such an outcome is none but what the list says.
CREATE OR REPLACE FUNCTION need_four_eyes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.bulk_overturn_id IS NOT NULL THEN
        IF EXISTS (SELECT FROM bulk_overturns b JOIN bulk_overturn_members m ON m.bulk_id = b.id AND m.decision_id = NEW.supersedes
                    WHERE b.id = NEW.bulk_overturn_id AND b.state = 'running' AND m.item_id = NEW.item_id AND m.evidence_hash = NEW.evidence_hash
                      AND (b.requested_by, b.approved_by, b.outcome, b.reason_code) = (NEW.person_id, NEW.approved_by, NEW.outcome, NEW.reason_code)
                      AND b.answer IS NOT DISTINCT FROM NEW.answer AND NOT NEW.approved_by = ANY (touched(NEW.item_id, 0))) THEN
            IF EXISTS (SELECT FROM approvals a WHERE a.open_item = NEW.item_id AND a.overturns) THEN
                RAISE EXCEPTION 'another decision on this item waits for its second pair of eyes' USING ERRCODE = 'unique_violation', CONSTRAINT = 'approvals_one_open';
            END IF;
            RETURN NEW;
        END IF;
    ELSIF NEW.approval_id IS NOT NULL THEN
        IF EXISTS (SELECT FROM approvals a JOIN proposals p ON p.id = a.id JOIN decisions d ON d.item_id = a.item_id AND d.task_id = COALESCE(a.decider_id, a.task_id)
                    WHERE a.id = NEW.approval_id AND a.item_id = NEW.item_id AND a.state IN ('approved', 'rejected') AND p.evidence_hash = NEW.evidence_hash
                      AND d.person_id = NEW.approved_by AND d.assignment_id IS NOT NULL AND d.evidence_hash = NEW.evidence_hash) THEN
            RETURN NEW;
        END IF;
    ELSIF NOT EXISTS (SELECT FROM projects p WHERE p.id = NEW.project_id AND p.four_eyes IS NOT NULL) OR
          eyes_rule(NEW.project_id, NEW.item_id, NEW.task_id, NEW.outcome, NEW.supersedes IS NOT NULL, NEW.reason_code) IS NULL THEN
        IF NEW.supersedes IS NOT NULL AND EXISTS (SELECT FROM approvals a WHERE a.open_item = NEW.item_id AND a.overturns
                                                    AND NEW.task_id IS DISTINCT FROM a.decider_id) THEN
            RAISE EXCEPTION 'another decision on this item waits for its second pair of eyes' USING ERRCODE = 'unique_violation', CONSTRAINT = 'approvals_one_open';
        END IF;
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'this outcome needs a second pair of eyes' USING ERRCODE = 'check_violation', CONSTRAINT = 'decisions_four_eyes';
END $$;

-- Supersedes an outcome, once; its effect follows through the outbox like any other. Re-opening raises a task for other eyes. Where the project wants a second pair
-- of eyes on it, it is proposed instead; one of an approved list has them (`of_bulk` and `eyes`). No row: `by_person` may not, or there is nothing to overturn.
CREATE FUNCTION overturn(of_decision bigint, by_person int, said_outcome text, said_answer jsonb, reason text, words text, of_bulk bigint, eyes int)
RETURNS TABLE (decision_id bigint, approval_id bigint) LANGUAGE sql AS $$
WITH target AS MATERIALIZED (                                          -- one at a time: a second one waits here, and is refused by `decisions_superseded_once`
    SELECT d.*, p.version, t.partition_id, t AS task,
           CASE WHEN p.four_eyes IS NOT NULL AND of_bulk IS NULL THEN eyes_rule(p.id, d.item_id, d.task_id, said_outcome, true, reason) END AS rule
      FROM decisions d JOIN projects p ON p.id = d.project_id JOIN tasks t ON t.id = d.task_id
     WHERE d.id = of_decision AND d.outcome IS NOT NULL AND d.outcome <> 'reopen'
       AND EXISTS (SELECT FROM people WHERE id = by_person AND role = 'lead' AND disabled_at IS NULL)
       FOR NO KEY UPDATE OF t),
overturned AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, supersedes, evidence_version, shown_version, evidence_hash,
                           reason_code, note, bulk_overturn_id, approved_by)
    SELECT item_id, task_id, project_id, version, by_person, 'overturn', said_answer, said_outcome, id, evidence_version, shown_version, evidence_hash,
           reason, words, of_bulk, eyes
      FROM target WHERE rule IS NULL
    RETURNING *),
proposed AS (
    SELECT propose(task, version, by_person, 'overturn', said_answer, said_outcome, id, reason, words, rule) AS made FROM target WHERE rule IS NOT NULL),
wanted_effects AS MATERIALIZED (
    SELECT o.id AS decision_id, e.id AS effect_id, row_number() OVER (ORDER BY e.kind, e.id)::int AS nth, count(*) OVER ()::int AS of
      FROM overturned o JOIN effects e ON e.project_id = o.project_id
     WHERE 'overturn' = ANY (e.on_outcomes)),
moved AS (
    UPDATE partitions p SET effect_no = p.effect_no + COALESCE((SELECT max(of) FROM wanted_effects), 0)
      FROM target, overturned WHERE p.id = target.partition_id
    RETURNING p.id, old.effect_no AS before),
reopened AS (                                                          -- earlier eyes are barred; it stands outside its partition's order
    SELECT raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                      ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'reopened', by_person) AS task_id
      FROM overturned o JOIN tasks t ON t.id = o.task_id JOIN items i ON i.id = o.item_id JOIN projects p ON p.id = o.project_id
     WHERE o.outcome = 'reopen' AND (SELECT count(*) FROM moved) >= 0),     -- the partition's lock before the clock's, as in publishing
queued AS (
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no)
    SELECT e.decision_id, e.effect_id, moved.id, moved.before + e.nth FROM wanted_effects e LEFT JOIN moved ON true),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'decision.overturned', by_person, o.project_id, o.item_id, o.task_id, o.id,
           jsonb_strip_nulls(jsonb_build_object('supersedes', o.supersedes, 'reopened', (SELECT task_id FROM reopened), 'bulk_overturn', of_bulk))
      FROM overturned o)
SELECT id, NULL::bigint FROM overturned UNION ALL SELECT NULL, made FROM proposed $$;

-- Ids of decisions are given in the order of time, but for a moment: the last that was surely made before one (0: none), found by halving.
CREATE FUNCTION last_decision_before(moment timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE low bigint := 0; high bigint := COALESCE((SELECT max(id) FROM decisions), 0) + 1; middle bigint; met record;
BEGIN
    WHILE high - low > 1 LOOP
        middle := (low + high) / 2;
        SELECT d.id, d.created_at INTO met FROM decisions d WHERE d.id >= middle AND d.id < high ORDER BY d.id LIMIT 1;
        IF met.id IS NULL THEN high := middle; ELSIF met.created_at < moment THEN low := met.id; ELSE high := middle; END IF;
    END LOOP;
    RETURN low;
END $$;

-- The outcome that a decision is, or that it made together with others.
CREATE FUNCTION outcome_of(d decisions) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN d.outcome IS NOT NULL THEN d.id
                ELSE (SELECT o.id FROM decisions o WHERE o.item_id = d.item_id AND o.task_id = d.task_id AND o.outcome IS NOT NULL AND o.person_id = 0) END $$;

-- Outcomes to be judged, the newest first, below a place, by a walk of one index: those of a person, or for a reason, or of the project. Null: in vain.
CREATE FUNCTION walk_outcomes(in_project int, of_person int, for_reason text, since timestamptz, until timestamptz, place_at timestamptz, place_id bigint, at_most int)
RETURNS TABLE (outcome_id bigint, at timestamptz, place bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE low bigint; high bigint := place_id;
BEGIN
    IF of_person IS NOT NULL THEN
        RETURN QUERY
        SELECT CASE WHEN d.project_id = in_project AND COALESCE(for_reason, d.reason_code) = d.reason_code THEN outcome_of(d) END, d.created_at, d.id
          FROM decisions d
         WHERE d.person_id = of_person AND d.created_at >= since AND d.created_at < until AND (d.created_at, d.id) < (place_at, place_id)
         ORDER BY d.created_at DESC, d.id DESC LIMIT at_most;
        RETURN;
    END IF;
    low := CASE WHEN since > timestamptz 'epoch' THEN last_decision_before(since - interval '2 s') ELSE 0 END;
    IF until < clock_timestamp() - interval '2 s' THEN high := least(high, last_decision_before(until + interval '2 s') + 1); END IF;
    IF for_reason IS NOT NULL THEN
        RETURN QUERY
        SELECT CASE WHEN d.created_at >= since AND d.created_at < until THEN outcome_of(d) END, d.created_at, d.id
          FROM decisions d WHERE d.project_id = in_project AND d.reason_code = for_reason AND d.id > low AND d.id < high ORDER BY d.id DESC LIMIT at_most;
    ELSE
        RETURN QUERY
        SELECT CASE WHEN d.created_at >= since AND d.created_at < until THEN d.id END, d.created_at, d.id
          FROM decisions d WHERE d.project_id = in_project AND d.outcome IS NOT NULL AND d.id > low AND d.id < high ORDER BY d.id DESC LIMIT at_most;
    END IF;
END $$;

-- Whether an outcome is one that was asked for, beside what it was walked by.
CREATE FUNCTION asked_for(d decisions, i items, in_queue text, matched text, stood text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT d.outcome <> 'reopen' AND NOT i.gold AND (in_queue IS NULL OR i.queue = in_queue) AND (matched IS NULL OR i.alike[3] = matched)
       AND (stood IS NULL OR d.outcome = stood) $$;

-- Why an outcome cannot be overturned by this one; null where it can.
CREATE FUNCTION not_overturned(d decisions, said_outcome text, said_answer jsonb) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN EXISTS (SELECT FROM decisions l WHERE l.supersedes = d.id) THEN 'it was overturned already'
                WHEN EXISTS (SELECT FROM approvals a WHERE a.open_item = d.item_id AND a.overturns) THEN 'another overturn of it waits for a second pair of eyes'
                WHEN (d.outcome, d.answer) IS NOT DISTINCT FROM (said_outcome, said_answer) THEN 'it says that already' END $$;

-- The next piece of a list: at most `at_once` decisions are looked at. What cannot be overturned is listed with why. Whether there is more, and the list is not full.
CREATE FUNCTION gather_bulk_overturn(of_bulk bigint, at_once int) RETURNS boolean LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
WITH bulk AS MATERIALIZED (
    SELECT b.* FROM bulk_overturns b WHERE b.id = of_bulk AND b.state = 'gathering' FOR NO KEY UPDATE),
seen AS MATERIALIZED (
    SELECT w.* FROM bulk CROSS JOIN LATERAL walk_outcomes(bulk.project_id, bulk.reviewer_id, bulk.reason, bulk.since, bulk.until, bulk.place_at, bulk.place_id, at_once) w),
fit AS (
    SELECT DISTINCT ON (d.id) d, i.evidence_version, w.at, w.place
      FROM bulk CROSS JOIN seen w JOIN decisions d ON d.id = w.outcome_id JOIN items i ON i.id = d.item_id
     WHERE asked_for(d, i, bulk.queue, bulk.match_decision, bulk.stood)
       AND NOT EXISTS (SELECT FROM bulk_overturn_members m WHERE m.bulk_id = bulk.id AND m.decision_id = d.id)
     ORDER BY d.id, w.at DESC, w.place DESC),
next AS MATERIALIZED (
    SELECT fit.*, (bulk.listed + row_number() OVER (ORDER BY fit.at DESC, fit.place DESC))::int AS n, not_overturned(fit.d, bulk.outcome, bulk.answer) AS why
      FROM fit CROSS JOIN bulk ORDER BY n LIMIT (SELECT most - listed + 1 FROM bulk)),
taken AS MATERIALIZED (SELECT next.* FROM next CROSS JOIN bulk WHERE next.n <= bulk.most),
put AS (
    INSERT INTO bulk_overturn_members (bulk_id, n, decision_id, item_id, task_id, evidence_hash, evidence_version)
    SELECT of_bulk, n, (d).id, (d).item_id, (d).task_id, (d).evidence_hash, evidence_version FROM taken ORDER BY n),
ends AS (
    INSERT INTO bulk_overturn_ends (bulk_id, n, came_to, why) SELECT of_bulk, n, 'left_out', why FROM taken WHERE why IS NOT NULL ORDER BY n),
hands AS (
    INSERT INTO bulk_overturn_hands (bulk_id, from_n, person_id, items)
    SELECT of_bulk, (SELECT min(n) FROM taken), who, count(*) FROM taken CROSS JOIN LATERAL unnest(touched((d).item_id, 0)) who WHERE why IS NULL GROUP BY who),
last AS (SELECT at, place FROM seen ORDER BY at, place LIMIT 1)
UPDATE bulk_overturns b
   SET listed = b.listed + (SELECT count(*) FROM taken), left_out = b.left_out + (SELECT count(*) FROM taken WHERE why IS NOT NULL),
       whole = NOT EXISTS (SELECT FROM next WHERE n > b.most), touched_at = clock_timestamp(),
       place_at = COALESCE((SELECT at FROM last), b.place_at), place_id = CASE WHEN b.reviewer_id IS NULL THEN COALESCE((SELECT min(place) FROM seen), b.place_id)
                                                                               ELSE COALESCE((SELECT place FROM last), b.place_id) END
  FROM bulk WHERE b.id = bulk.id
RETURNING b.whole AND (SELECT count(*) FROM seen) >= at_once $$;

-- Supersedes the next outcomes of an approved list, at most `at_once`, each as a lead would by hand; those that cannot be any more are left out, with why.
-- The new decisions. Whoever overturns, undoes or retracts one of them meanwhile was first, or is refused.
CREATE FUNCTION run_bulk_overturn(of_bulk bigint, at_once int) RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE b bulk_overturns;
BEGIN
    SELECT * INTO b FROM bulk_overturns WHERE id = of_bulk AND state = 'running' FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM FROM tasks t WHERE t.id IN (SELECT m.task_id FROM bulk_overturn_members m WHERE m.bulk_id = b.id AND m.n > b.reached AND m.n <= b.reached + at_once)
      ORDER BY t.id FOR NO KEY UPDATE;
    PERFORM FROM partitions p                                          -- in one order, as by intake and publishing
      WHERE p.id IN (SELECT t.partition_id FROM bulk_overturn_members m JOIN tasks t ON t.id = m.task_id WHERE m.bulk_id = b.id AND m.n > b.reached AND m.n <= b.reached + at_once)
      ORDER BY p.key, p.id FOR NO KEY UPDATE;
    RETURN QUERY
    WITH due AS MATERIALIZED (
        SELECT m.n, m.decision_id,
               CASE WHEN i.evidence_version <> m.evidence_version THEN 'it changed since it was listed'
                    WHEN b.approved_by = ANY (touched(m.item_id, 0)) THEN 'who approved the list has had it in their hands since'
                    ELSE not_overturned(d, b.outcome, b.answer) END AS why
          FROM bulk_overturn_members m JOIN decisions d ON d.id = m.decision_id JOIN items i ON i.id = m.item_id
         WHERE m.bulk_id = b.id AND m.n > b.reached AND m.n <= b.reached + at_once
           AND NOT EXISTS (SELECT FROM bulk_overturn_ends e WHERE e.bulk_id = m.bulk_id AND e.n = m.n)),
    done AS MATERIALIZED (
        SELECT g.n, o.decision_id
          FROM (SELECT due.n, due.decision_id FROM due WHERE due.why IS NULL ORDER BY due.n OFFSET 0) g
         CROSS JOIN LATERAL overturn(g.decision_id, b.requested_by, b.outcome, b.answer, b.reason_code, b.note, b.id, b.approved_by) o),
    ends AS (
        INSERT INTO bulk_overturn_ends (bulk_id, n, came_to, why, decision_id)
        SELECT b.id, due.n, CASE WHEN done.n IS NULL THEN 'left_out' ELSE 'overturned' END, CASE WHEN done.n IS NULL THEN COALESCE(due.why, 'nothing of it can be overturned') END,
               done.decision_id
          FROM due LEFT JOIN done ON done.n = due.n
        RETURNING came_to),
    moved AS (
        UPDATE bulk_overturns l
           SET reached = least(b.reached + at_once, b.listed), touched_at = clock_timestamp(), overturned = b.overturned + (SELECT count(*) FROM done),
               left_out = b.left_out + (SELECT count(*) FROM ends WHERE ends.came_to = 'left_out')
         WHERE l.id = b.id)
    SELECT done.decision_id FROM done ORDER BY done.n;
END $$;

REVOKE EXECUTE ON FUNCTION gather_bulk_overturn(bigint, int), run_bulk_overturn(bigint, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gather_bulk_overturn(bigint, int), run_bulk_overturn(bigint, int) TO claimcheck_worker;
GRANT SELECT ON bulk_overturns, bulk_overturn_members, bulk_overturn_ends, bulk_overturn_hands TO claimcheck_web, claimcheck_worker;
GRANT INSERT ON bulk_overturns TO claimcheck_web;
GRANT UPDATE (state, moved_by, why, approved_by) ON bulk_overturns TO claimcheck_web;
GRANT UPDATE (state, moved_by, why, touched_at) ON bulk_overturns TO claimcheck_worker;
CREATE INDEX events_bulk_overturns ON events (((detail ->> 'bulk_overturn')::bigint), id) WHERE kind LIKE 'bulk_overturn.%';
