-- The rule of a project that asks for a second pair of eyes on an outcome: the first that matches in all that it names; null where none does.
-- What undoes a batch decision before anything of it went out is no outcome of its own.
-- An item that came without an amount counts as one of any amount. What several looks agree on has the reason of each.
CREATE FUNCTION eyes_rule(of_project int, of_item bigint, of_task bigint, of_outcome text, overturns boolean, reason text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE found jsonb;
BEGIN
    SELECT r.rule INTO found
      FROM projects p CROSS JOIN LATERAL jsonb_array_elements(p.four_eyes) WITH ORDINALITY r (rule, n)
      JOIN customers c ON c.id = p.customer_id JOIN items i ON i.id = of_item LEFT JOIN messages m ON m.id = i.message_id
     WHERE p.id = of_project AND reason <> 'desk.undone'
       AND (r.rule ->> 'verdict' IS NULL OR r.rule ->> 'verdict' = of_outcome OR overturns AND r.rule ->> 'verdict' = 'overturn')
       AND (r.rule ->> 'reason_code' IS NULL OR r.rule ->> 'reason_code' = reason
            OR reason = 'agreement' AND EXISTS (SELECT FROM decisions d WHERE d.item_id = of_item AND d.task_id = of_task AND d.reason_code = r.rule ->> 'reason_code'))
       AND (r.rule ->> 'customer' IS NULL OR r.rule ->> 'customer' = c.name)
       AND (r.rule ->> 'amount_from' IS NULL OR m.id IS NULL OR abs(m.variance_amount) >= (r.rule ->> 'amount_from')::numeric)
       AND (r.rule ->> 'currency' IS NULL OR m.id IS NULL OR m.currency = r.rule ->> 'currency')
     ORDER BY r.n LIMIT 1;
    RETURN found;
END $$;

-- Who had an item in their hands, in whatever way, beside one task of it.
CREATE FUNCTION touched(of_item bigint, beside bigint) RETURNS int[] LANGUAGE sql AS $$
    SELECT COALESCE(array_agg(DISTINCT who), '{}')
      FROM (SELECT a.person_id FROM tasks t JOIN assignments a ON a.task_id = t.id WHERE t.item_id = of_item AND t.id <> beside
             UNION ALL SELECT d.person_id FROM decisions d WHERE d.item_id = of_item AND d.task_id <> beside
             UNION ALL SELECT l.person_id FROM late_looks l WHERE l.item_id = of_item AND l.task_id <> beside
             UNION ALL SELECT p.person_id FROM proposals p WHERE p.item_id = of_item
             UNION ALL SELECT e.created_by FROM evidence e WHERE e.item_id = of_item
             UNION ALL SELECT b.created_by FROM items i JOIN batches b ON b.id = i.batch_id WHERE i.id = of_item
             UNION ALL SELECT e.person_id FROM events e WHERE e.item_id = of_item AND e.task_id IS DISTINCT FROM beside) x (who)
     WHERE who <> 0 $$;

-- An outcome that is not written yet: the proposal, the task that asks for a second look at the same evidence, and where it stands. `t` is the task that it came of.
CREATE FUNCTION propose(t tasks, of_version int, by_person int, said_verdict text, said_answer jsonb, said_outcome text, of_decision bigint, reason text, words text, by_rule jsonb)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE made bigint;
BEGIN
    IF EXISTS (SELECT FROM decisions d WHERE d.supersedes = of_decision) THEN
        RAISE EXCEPTION 'overturned before' USING ERRCODE = 'unique_violation', CONSTRAINT = 'decisions_superseded_once';
    END IF;
    INSERT INTO proposals (item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, supersedes, evidence_version, shown_version, evidence_hash,
                           reason_code, note, rule)
    VALUES (t.item_id, t.id, t.project_id, of_version, by_person, said_verdict, said_answer, said_outcome, of_decision, t.evidence_version, t.shown_version, t.evidence_hash,
            reason, words, by_rule)
    RETURNING id INTO made;
    INSERT INTO approvals (id, item_id, project_id, overturns, moved_by, task_id)
    SELECT made, t.item_id, t.project_id, of_decision IS NOT NULL, by_person,
           raise_task(t, 'approval', 'approval', item_priority(i) + 10, 1, NULL, p.price_minor, touched(t.item_id, 0), 'four_eyes', by_person)
      FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = t.item_id;
    RETURN made;
END $$;

-- An outcome written beside a submit: its effects, from a moment on, and its partition's turn. `t` is its task, which has ended. The outcome's id.
CREATE FUNCTION put_outcome(o decisions, t tasks, from_then timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE made bigint; next_id bigint; next_no int; of int; before int; on_what text := CASE WHEN o.supersedes IS NULL THEN o.outcome ELSE 'overturn' END;
BEGIN
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, supersedes, evidence_version, shown_version, evidence_hash,
                           reason_code, note, approval_id, approved_by)
    VALUES (o.item_id, o.task_id, o.project_id, o.project_version, o.person_id, o.verdict, o.answer, o.outcome, o.supersedes, o.evidence_version, o.shown_version,
            o.evidence_hash, o.reason_code, o.note, o.approval_id, o.approved_by)
    RETURNING id INTO made;
    SELECT count(*) INTO of FROM effects e WHERE e.project_id = o.project_id AND on_what = ANY (e.on_outcomes);
    IF t.partition_id IS NOT NULL AND o.supersedes IS NULL THEN
        SELECT n.id, n.partition_no INTO next_id, next_no
          FROM tasks n WHERE n.partition_id = t.partition_id AND n.partition_no = t.partition_no + 1 AND n.waits FOR NO KEY UPDATE;
        UPDATE tasks n SET waits = false WHERE n.id = next_id;
    END IF;
    UPDATE partitions p                                                -- partitions_head_promoted refuses this if an item came in unseen: run again
       SET settled_no  = CASE WHEN o.supersedes IS NULL AND t.partition_no = p.settled_no + 1 THEN p.settled_no + 1 ELSE p.settled_no END,
           promoted_no = COALESCE(next_no, p.promoted_no),
           effect_no   = p.effect_no + of
     WHERE p.id = t.partition_id
    RETURNING p.effect_no - of INTO before;
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no, due, push_due, not_before)
    SELECT made, e.id, t.partition_id, before + row_number() OVER (ORDER BY e.kind, e.id)::int, COALESCE(from_then, clock_timestamp()), COALESCE(from_then, clock_timestamp()), from_then
      FROM effects e WHERE e.project_id = o.project_id AND on_what = ANY (e.on_outcomes);
    IF o.outcome = 'reopen' THEN
        PERFORM raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                           ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'reopened', o.person_id)
           FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = t.item_id;
    END IF;
    RETURN made;
END $$;

-- An open task that its caller has locked is decided outside a look: its outcome is written, or proposed where the project asks for a second pair of eyes.
-- One of the two ids is null. Nobody may hold the task. Effects wait until `not_before`.
CREATE FUNCTION decide_task(t tasks, by_person int, said_verdict text, said_answer jsonb, reason text, words text, not_before timestamptz,
                            OUT decision_id bigint, OUT approval_id bigint) LANGUAGE plpgsql AS $$
DECLARE o decisions; said_outcome text := COALESCE(said_verdict, 'answer'); by_rule jsonb := eyes_rule(t.project_id, t.item_id, t.id, COALESCE(said_verdict, 'answer'), false, reason);
BEGIN
    UPDATE tasks SET ended_as = CASE WHEN by_rule IS NULL THEN 'decided' ELSE 'proposed' END, ended_at = clock_timestamp()
     WHERE id = t.id AND ended_as IS NULL RETURNING * INTO STRICT t;
    SELECT version INTO o.project_version FROM projects WHERE id = t.project_id;
    IF by_rule IS NOT NULL THEN
        approval_id := propose(t, o.project_version, by_person, said_verdict, said_answer, said_outcome, NULL, reason, words, by_rule);
    ELSE
        o.item_id := t.item_id; o.task_id := t.id; o.project_id := t.project_id; o.person_id := by_person;
        o.verdict := said_verdict; o.answer := said_answer; o.outcome := said_outcome; o.reason_code := reason; o.note := words;
        o.evidence_version := t.evidence_version; o.shown_version := t.shown_version; o.evidence_hash := t.evidence_hash;
        decision_id := put_outcome(o, t, not_before);
    END IF;
END $$;

CREATE FUNCTION move_approval(a approvals, to_state text, by_person int, decider bigint, decision bigint) RETURNS approvals LANGUAGE plpgsql AS $$
DECLARE moved approvals;
BEGIN
    UPDATE approvals SET state = to_state, version = a.version + 1, moved_by = by_person, moved_at = clock_timestamp(), decider_id = COALESCE(decider, decider_id),
                         decision_id = decision
     WHERE id = a.id AND version = a.version RETURNING * INTO moved;
    IF NOT FOUND THEN RAISE EXCEPTION 'this approval was moved meanwhile' USING ERRCODE = 'serialization_failure'; END IF;
    RETURN moved;
END $$;

-- Whether an answer says what was proposed. To open an item again is agreed with by saying anything but what stands.
CREATE FUNCTION backs(p proposals, said_verdict text, said_answer jsonb) RETURNS boolean LANGUAGE sql AS $$
    SELECT CASE p.outcome WHEN 'reopen' THEN (SELECT (said_verdict, said_answer) IS DISTINCT FROM (CASE WHEN d.outcome <> 'answer' THEN d.outcome END, d.answer)
                                                FROM decisions d WHERE d.id = p.supersedes)
                          WHEN 'answer' THEN said_answer IS NOT DISTINCT FROM p.answer
                          ELSE said_verdict IS NOT DISTINCT FROM p.outcome END $$;

-- Whether somebody is no second pair of eyes: they had the item in their hands before. What two see differently a lead decides who is new to it,
-- or, where there is none, any who did not propose it.
CREATE FUNCTION no_other_eyes(t tasks, me int) RETURNS boolean LANGUAGE sql AS $$
    SELECT EXISTS (SELECT FROM approvals a JOIN proposals p ON p.id = a.id
                    WHERE a.task_id = t.id AND me = ANY (touched(t.item_id, t.id)) OR a.decider_id = t.id AND (me = p.person_id OR me = ANY (t.barred))) $$;

-- Whether an answer is what stands already.
CREATE FUNCTION stands(p proposals, said_verdict text, said_answer jsonb) RETURNS boolean LANGUAGE sql AS $$
    SELECT EXISTS (SELECT FROM decisions d WHERE d.id = p.supersedes
                    AND (said_verdict, said_answer) IS NOT DISTINCT FROM (CASE WHEN d.outcome <> 'answer' THEN d.outcome END, d.answer)) $$;

-- What the last look at a task comes to where somebody else has a say: proposed, disputed or decided.
CREATE FUNCTION second_eyes(of_task bigint, me int, said_verdict text, said_answer jsonb, reason text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t tasks; a approvals; p proposals; said_outcome text := COALESCE(said_verdict, 'answer'); said_before boolean;
BEGIN
    SELECT * INTO STRICT t FROM tasks WHERE id = of_task;
    IF t.kind <> 'approval' THEN
        RETURN CASE WHEN eyes_rule(t.project_id, t.item_id, t.id, said_outcome, false, reason) IS NOT NULL
                      OR t.wanted > 1 AND eyes_rule(t.project_id, t.item_id, t.id, said_outcome, false, 'agreement') IS NOT NULL THEN 'proposed' ELSE 'decided' END;
    END IF;
    SELECT * INTO STRICT a FROM approvals WHERE t.id IN (task_id, decider_id);
    SELECT * INTO STRICT p FROM proposals WHERE id = a.id;
    IF t.id = a.task_id THEN RETURN CASE WHEN backs(p, said_verdict, said_answer) THEN 'decided' ELSE 'disputed' END; END IF;
    SELECT COALESCE(bool_or((d.verdict, d.answer) IS NOT DISTINCT FROM (said_verdict, said_answer)), false) INTO said_before
      FROM decisions d WHERE d.item_id = t.item_id AND d.task_id = a.task_id AND d.person_id <> me;
    RETURN CASE WHEN said_before OR backs(p, said_verdict, said_answer) OR stands(p, said_verdict, said_answer) THEN 'decided'
                WHEN eyes_rule(t.project_id, t.item_id, t.id, said_outcome, a.overturns, reason) IS NULL THEN 'decided' ELSE 'proposed' END;
END $$;

-- What follows from that: the proposal; or, of a second look, the outcome and who approved it, or a task for a lead. `t` has ended and the look is written.
CREATE FUNCTION see_again(t tasks, of_version int, me int, said_verdict text, said_answer jsonb, reason text, words text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE a approvals; p proposals; d decisions; o decisions; said_outcome text := COALESCE(said_verdict, 'answer'); hands int[]; to_lead bigint;
BEGIN
    IF t.kind <> 'approval' THEN
        RETURN CASE WHEN t.wanted = 1
                    THEN propose(t, of_version, me, said_verdict, said_answer, said_outcome, NULL, reason, words, eyes_rule(t.project_id, t.item_id, t.id, said_outcome, false, reason))
                    ELSE propose(t, of_version, 0, said_verdict, said_answer, said_outcome, NULL, 'agreement', '',
                                 eyes_rule(t.project_id, t.item_id, t.id, said_outcome, false, 'agreement')) END;
    END IF;
    SELECT * INTO STRICT a FROM approvals WHERE t.id IN (task_id, decider_id) FOR NO KEY UPDATE;
    SELECT * INTO STRICT p FROM proposals WHERE id = a.id;
    IF t.ended_as = 'disputed' THEN
        hands := touched(t.item_id, 0);
        IF NOT EXISTS (SELECT FROM people l WHERE l.role = 'lead' AND l.disabled_at IS NULL AND NOT l.program AND NOT l.id = ANY (hands)) THEN hands := ARRAY[p.person_id]; END IF;
        SELECT raise_task(t, 'approval', 'escalation', t.priority, 1, NULL, t.price_minor, hands, 'seen_differently', me) INTO to_lead;
        PERFORM move_approval(a, 'rejected', me, to_lead, NULL);
        RETURN a.id;
    END IF;
    IF t.id = a.task_id THEN a := move_approval(a, 'approved', me, NULL, NULL); END IF;
    IF t.ended_as = 'proposed' THEN                                    -- a third answer is a proposal of its own
        PERFORM move_approval(a, 'resolved', me, NULL, NULL);
        RETURN propose(t, of_version, me, CASE WHEN a.overturns THEN 'overturn' ELSE said_verdict END, said_answer, said_outcome, p.supersedes, reason, words,
                       eyes_rule(t.project_id, t.item_id, t.id, said_outcome, a.overturns, reason));
    END IF;
    SELECT * INTO d FROM decisions x WHERE x.item_id = t.item_id AND x.task_id = a.task_id AND x.assignment_id IS NOT NULL;
    o.item_id := t.item_id; o.task_id := t.id; o.project_id := t.project_id; o.supersedes := p.supersedes;
    o.evidence_version := t.evidence_version; o.shown_version := t.shown_version; o.evidence_hash := t.evidence_hash;
    IF backs(p, said_verdict, said_answer) THEN                        -- the outcome is in the words of who said it first
        o.person_id := p.person_id; o.approval_id := a.id; o.approved_by := me; o.project_version := p.project_version;
        o.verdict := p.verdict; o.answer := p.answer; o.outcome := p.outcome; o.reason_code := p.reason_code; o.note := p.note;
    ELSIF d.person_id <> me AND (d.verdict, d.answer) IS NOT DISTINCT FROM (said_verdict, said_answer) THEN
        o.person_id := d.person_id; o.approval_id := a.id; o.approved_by := me; o.project_version := d.project_version;
        o.verdict := d.verdict; o.answer := d.answer; o.outcome := said_outcome; o.reason_code := d.reason_code; o.note := d.note;
    ELSE
        o.person_id := me; o.project_version := of_version;
        o.verdict := said_verdict; o.answer := said_answer; o.outcome := said_outcome; o.reason_code := reason; o.note := words;
    END IF;
    IF a.overturns THEN o.verdict := 'overturn'; END IF;
    IF stands(p, said_verdict, said_answer) AND o.outcome <> 'reopen' OR EXISTS (SELECT FROM decisions x WHERE x.supersedes = p.supersedes) THEN
        PERFORM move_approval(a, 'resolved', me, NULL, NULL);          -- what stands stays
    ELSE
        PERFORM move_approval(a, 'resolved', me, NULL, put_outcome(o, t, NULL));
    END IF;
    RETURN a.id;
END $$;

-- The server's word on it: an outcome that needs a second pair of eyes is not written without them, by whatever statement.
CREATE FUNCTION need_four_eyes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.approval_id IS NOT NULL THEN
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
CREATE TRIGGER four_eyes BEFORE INSERT ON decisions FOR EACH ROW WHEN (NEW.outcome IS NOT NULL) EXECUTE FUNCTION need_four_eyes();

-- Evidence that changes voids what was proposed about it: whoever holds the approval is told, and the item is looked at again.
CREATE FUNCTION void_approval() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE a approvals; held assignments;
BEGIN
    SELECT * INTO held FROM assignments WHERE task_id = OLD.id AND ended_at IS NULL FOR NO KEY UPDATE NOWAIT;
    SELECT * INTO STRICT a FROM approvals WHERE OLD.id IN (task_id, decider_id) FOR NO KEY UPDATE;
    UPDATE assignments SET ended_at = greatest(clock_timestamp(), claimed_at), end_reason = 'revoked' WHERE id = held.id;
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, assignment_id)
    SELECT 'assignment.revoked', held.person_id, OLD.project_id, OLD.item_id, OLD.id, held.id WHERE held.id IS NOT NULL;
    PERFORM move_approval(a, 'voided', 0, NULL, NULL);
    IF NOT a.overturns THEN
        PERFORM raise_task(NEW, 'review', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                           ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = OLD.item_id AND d.assignment_id IS NOT NULL), 'evidence_changed', 0)
           FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = OLD.item_id;
    END IF;
    NEW.ended_as := 'voided'; NEW.ended_at := clock_timestamp(); NEW.seen_by := array_remove(NEW.seen_by, held.person_id);
    NEW.evidence_version := OLD.evidence_version; NEW.shown_version := OLD.shown_version; NEW.evidence_hash := OLD.evidence_hash;
    RETURN NEW;
EXCEPTION WHEN lock_not_available THEN                                 -- a submit has its assignment and waits for this task
    RAISE EXCEPTION 'somebody is deciding on it' USING ERRCODE = 'serialization_failure';
END $$;
CREATE TRIGGER void_approval BEFORE UPDATE OF evidence_hash ON tasks FOR EACH ROW
    WHEN (OLD.kind = 'approval' AND OLD.ended_as IS NULL AND NEW.ended_as IS NULL AND NEW.evidence_hash <> OLD.evidence_hash) EXECUTE FUNCTION void_approval();

-- A retraction's reopening is an overturn like others. Null too where it waits for a second pair of eyes.
CREATE OR REPLACE FUNCTION reopen_retracted(of_retraction bigint, of_item bigint) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
WITH target AS MATERIALIZED (
    SELECT d.*, p.version, t.partition_id, r.requested_by, r.reason, t AS task,
           CASE WHEN p.four_eyes IS NOT NULL THEN eyes_rule(p.id, d.item_id, d.task_id, 'reopen', true, 'desk.retracted') END AS rule
      FROM tombstones s JOIN retractions r ON r.id = s.retraction_id JOIN decisions d ON d.id = s.decision_id
      JOIN projects p ON p.id = d.project_id JOIN tasks t ON t.id = d.task_id
     WHERE s.retraction_id = of_retraction AND s.item_id = of_item AND s.status = 'pending' AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = d.id)
       AND NOT EXISTS (SELECT FROM approvals a WHERE a.open_item = d.item_id)),
overturned AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, evidence_version, shown_version, evidence_hash, reason_code, note)
    SELECT item_id, task_id, project_id, version, requested_by, 'overturn', 'reopen', id, evidence_version, shown_version, evidence_hash, 'desk.retracted', reason
      FROM target WHERE rule IS NULL
    RETURNING *),
proposed AS (
    SELECT propose(task, version, requested_by, 'overturn', NULL, 'reopen', id, 'desk.retracted', reason, rule) AS approval_id FROM target WHERE rule IS NOT NULL),
wanted_effects AS MATERIALIZED (
    SELECT o.id AS decision_id, e.id AS effect_id, row_number() OVER (ORDER BY e.kind, e.id)::int AS nth, count(*) OVER ()::int AS of
      FROM overturned o JOIN effects e ON e.project_id = o.project_id
     WHERE 'overturn' = ANY (e.on_outcomes)),
moved AS (
    UPDATE partitions p SET effect_no = p.effect_no + COALESCE((SELECT max(of) FROM wanted_effects), 0)
      FROM target, overturned WHERE p.id = target.partition_id
    RETURNING p.id, old.effect_no AS before),
reopened AS (                                                          -- earlier eyes are barred
    SELECT raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                      ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'retracted', o.person_id) AS task_id
      FROM overturned o JOIN tasks t ON t.id = o.task_id JOIN items i ON i.id = o.item_id JOIN projects p ON p.id = o.project_id
     WHERE (SELECT count(*) FROM moved) >= 0),
queued AS (
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no)
    SELECT e.decision_id, e.effect_id, moved.id, moved.before + e.nth FROM wanted_effects e LEFT JOIN moved ON true),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'decision.overturned', o.person_id, o.project_id, o.item_id, o.task_id, o.id,
           jsonb_build_object('supersedes', o.supersedes, 'reopened', (SELECT task_id FROM reopened), 'retraction', of_retraction)
      FROM overturned o)
SELECT id FROM overturned UNION ALL SELECT NULL FROM proposed $$;
