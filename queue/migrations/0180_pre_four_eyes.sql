-- Four eyes: an outcome that the project's rules name is proposed, looked at by somebody else who is not told what was proposed, and only then written.
ALTER TABLE projects ADD COLUMN four_eyes jsonb CHECK (jsonb_typeof(four_eyes) = 'array');   -- the rules in force; null: none
GRANT UPDATE (four_eyes) ON projects TO claimcheck_web;

CREATE TABLE proposals (                              -- an outcome as it would have been written
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item_id          bigint NOT NULL REFERENCES items,
    task_id          bigint NOT NULL REFERENCES tasks,
    project_id       int NOT NULL,
    project_version  int NOT NULL,
    person_id        int NOT NULL REFERENCES people,
    verdict          text,
    answer           jsonb,
    outcome          text NOT NULL CHECK (outcome IN ('approve', 'reject', 'answer', 'reopen')),
    supersedes       bigint REFERENCES decisions,
    evidence_version int NOT NULL,
    shown_version    int NOT NULL,
    evidence_hash    bytea NOT NULL CHECK (octet_length(evidence_hash) = 32),
    reason_code      text NOT NULL,
    note             text NOT NULL DEFAULT '',
    rule             jsonb NOT NULL,                  -- the one that asked for a second pair of eyes
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    FOREIGN KEY (project_id, project_version) REFERENCES project_versions (project_id, version),
    FOREIGN KEY (project_id, reason_code) REFERENCES reason_codes (project_id, code));
CREATE INDEX proposals_item ON proposals (item_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON proposals FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON proposals FOR EACH STATEMENT EXECUTE FUNCTION refuse();

CREATE TABLE approvals (                              -- where a proposal stands
    id         bigint PRIMARY KEY REFERENCES proposals,
    item_id    bigint NOT NULL REFERENCES items,
    project_id int NOT NULL REFERENCES projects,
    overturns  boolean NOT NULL,                      -- the item has an outcome already
    task_id    bigint NOT NULL UNIQUE REFERENCES tasks,    -- asks for the second look
    decider_id bigint UNIQUE REFERENCES tasks,        -- where that said something else: asks a lead
    state      text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'rejected', 'resolved', 'voided')),
    version    int NOT NULL DEFAULT 1,
    moved_by   int NOT NULL REFERENCES people,
    moved_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    asked_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    decision_id bigint REFERENCES decisions,          -- what it resolved to; null where what stood stays
    open_item  bigint GENERATED ALWAYS AS (CASE WHEN state NOT IN ('resolved', 'voided') THEN item_id END) STORED,
    CONSTRAINT approvals_sound CHECK ((decision_id IS NULL OR state = 'resolved') AND (state <> 'rejected' OR decider_id IS NOT NULL)
                                      AND (decider_id IS NULL OR state IN ('rejected', 'resolved', 'voided'))));
CREATE UNIQUE INDEX approvals_one_open ON approvals (open_item) WHERE open_item IS NOT NULL;
CREATE INDEX approvals_item ON approvals (item_id);
CREATE INDEX approvals_waiting ON approvals (id) INCLUDE (project_id, asked_at, state) WHERE open_item IS NOT NULL;
CREATE TRIGGER no_delete BEFORE DELETE ON approvals FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse();

-- The state machine, kept by the server: a move is a step of it, one version further; each is an event.
CREATE FUNCTION approval_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND (NEW.state, NEW.version) = ('pending', 1)
       OR TG_OP = 'UPDATE' AND NEW.version = OLD.version + 1 AND (OLD.state, NEW.state) IN (
            ('pending', 'approved'), ('pending', 'rejected'), ('pending', 'voided'), ('approved', 'resolved'), ('rejected', 'resolved'), ('rejected', 'voided'))
          AND (NEW.id, NEW.item_id, NEW.project_id, NEW.task_id, NEW.overturns) = (OLD.id, OLD.item_id, OLD.project_id, OLD.task_id, OLD.overturns) THEN
        INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
        VALUES ('approval.' || CASE TG_OP WHEN 'INSERT' THEN 'asked' ELSE NEW.state END, NEW.moved_by, NEW.project_id, NEW.item_id,
                COALESCE(NEW.decider_id, NEW.task_id), NEW.decision_id, jsonb_build_object('approval', NEW.id, 'version', NEW.version));
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'an approval cannot go from % to %', CASE TG_OP WHEN 'UPDATE' THEN OLD.state END, NEW.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'approvals_move';
END $$;
CREATE TRIGGER moved BEFORE INSERT OR UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION approval_move();

GRANT SELECT ON proposals, approvals TO claimcheck_web, claimcheck_worker;
GRANT INSERT ON proposals, approvals TO claimcheck_web;
GRANT UPDATE (state, version, moved_by, moved_at, decider_id, decision_id) ON approvals TO claimcheck_web;

ALTER TABLE decisions
    ADD COLUMN approval_id bigint REFERENCES proposals,
    ADD COLUMN approved_by int REFERENCES people,
    ADD CONSTRAINT decisions_approved CHECK ((approval_id IS NULL) = (approved_by IS NULL) AND (approved_by IS NULL OR outcome IS NOT NULL) AND approved_by <> person_id);
CREATE UNIQUE INDEX decisions_approved_once ON decisions (approval_id) WHERE approval_id IS NOT NULL;

-- A task may end in a proposal; one that asks for a second look ends where what it is about has changed. A settled item may be asked about several times.
ALTER TABLE tasks
    DROP CONSTRAINT tasks_sound, DROP CONSTRAINT tasks_leads_decide, DROP CONSTRAINT tasks_settled_by_all_looks,
    ADD CONSTRAINT tasks_sound CHECK (abandon_limit > 0 AND price_minor >= 0 AND priority >= -10 AND priority <= 30 AND wanted >= 1 AND wanted <= 20
        AND octet_length(evidence_hash) = 32 AND (ended_as IS NULL) = (ended_at IS NULL) AND (partition_id IS NULL) = (partition_no IS NULL) AND NOT barred && seen_by
        AND kind = ANY ('{review,gold,adjudication,escalation,approval,relabel}'::text[])
        AND ended_as = ANY ('{decided,escalated,disputed,abandoned,returned,proposed,voided}'::text[])),
    ADD CONSTRAINT tasks_leads_decide CHECK (kind <> ALL (ARRAY['escalation', 'adjudication']) OR ended_as IS NULL OR ended_as = ANY (ARRAY['decided', 'returned', 'proposed'])),
    ADD CONSTRAINT tasks_settled_by_all_looks CHECK (ended_as IS NULL OR ended_as = ANY (ARRAY['abandoned', 'returned', 'voided']) OR cardinality(votes) = wanted
        OR ended_as = ANY (ARRAY['decided', 'proposed']) AND cardinality(seen_by) = 0);   -- nobody has it: the desk's own, or a lead's for many
DROP INDEX tasks_parent_id_key;
CREATE UNIQUE INDEX tasks_parent_id_key ON tasks (parent_id) WHERE parent_id IS NOT NULL AND kind <> 'approval';

-- Where it is looked for: among the trusted, as adjudications are, and by leads; never by a program.
DROP INDEX lanes_led;
CREATE INDEX lanes_led ON lanes (id) WHERE queue IN ('escalation', 'adjudication', 'approval');
CREATE OR REPLACE FUNCTION lanes_of(of_person int, in_role text) RETURNS TABLE (id int, skill_id int, queue text, novice boolean) LANGUAGE sql STABLE AS $$
    SELECT l.id, l.skill_id, l.queue, s.novice AND NOT l.gold
      FROM person_skills s
     CROSS JOIN LATERAL (SELECT * FROM lanes l WHERE l.skill_id = s.skill_id AND l.tier <= s.tier OFFSET 0) l   -- from the person to the lanes, whatever a plan thinks
     WHERE s.person_id = of_person
       AND CASE WHEN NOT l.gold THEN s.status = 'active' AND NOT s.held_back
                                     AND CASE l.queue WHEN 'escalation'   THEN false
                                                      WHEN 'adjudication' THEN in_role <> 'lead'
                                                      WHEN 'approval'     THEN in_role <> 'lead' AND NOT (SELECT p.program FROM people p WHERE p.id = of_person)
                                                      ELSE true END
                WHEN s.status = 'soft_paused' THEN s.extra_left > 0
                WHEN s.status = 'active' AND NOT s.held_back THEN gold_turn(s) AND EXISTS (
                    SELECT FROM lanes live CROSS JOIN LATERAL (   -- a probe of each lane's head: a join may read every task that waits
                            SELECT FROM tasks t WHERE t.lane_id = live.id AND t.state = 'pending' AND NOT of_person = ANY (t.closed_to) ORDER BY t.rank LIMIT 1) t
                     WHERE live.skill_id = s.skill_id AND live.tier <= s.tier AND live.queue = 'review' AND NOT live.gold)
                ELSE s.status IN ('exam', 'active') END
     UNION ALL
    SELECT l.id, l.skill_id, l.queue, false FROM lanes l
     WHERE in_role = 'lead' AND l.queue IN ('escalation', 'adjudication', 'approval')
       AND CASE WHEN l.queue = 'approval' THEN NOT (SELECT p.program FROM people p WHERE p.id = of_person) ELSE true END $$;

-- What was said of an item stays hidden until what was proposed is decided too.
CREATE OR REPLACE FUNCTION hides_looks(t tasks) RETURNS boolean LANGUAGE sql AS $$
    SELECT t.ended_as IS NULL AND (t.cancelled_at IS NULL OR EXISTS (
               SELECT FROM assignments a WHERE a.task_id = t.id AND a.ended_at IS NULL AND a.lease_expires > clock_timestamp()))
        OR t.ended_as = 'disputed' AND EXISTS (
               SELECT FROM tasks c WHERE c.item_id = t.item_id AND c.parent_id = t.id AND c.kind = 'adjudication' AND c.ended_as IS NULL AND c.cancelled_at IS NULL)
        OR EXISTS (SELECT FROM approvals a WHERE a.open_item = t.item_id AND (NOT a.overturns OR t.id IN (a.task_id, a.decider_id))) $$;
