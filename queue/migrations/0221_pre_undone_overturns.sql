-- An overturn that waits for its second pair of eyes is void where what it is about is undone, as any approval is whose evidence changes.

-- Takes an approval that waits out of the hands of whoever holds it, who is told, and voids it. `t` is its open task, which its caller has locked and ends.
CREATE FUNCTION end_approval(t tasks, by_person int, OUT held_by int, OUT was_overturn boolean) LANGUAGE plpgsql AS $$
DECLARE held assignments; a approvals;
BEGIN
    SELECT * INTO held FROM assignments WHERE task_id = t.id AND ended_at IS NULL FOR NO KEY UPDATE NOWAIT;
    SELECT * INTO STRICT a FROM approvals WHERE t.id IN (task_id, decider_id) FOR NO KEY UPDATE;
    UPDATE assignments SET ended_at = greatest(clock_timestamp(), claimed_at), end_reason = 'revoked' WHERE id = held.id;
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, assignment_id)
    SELECT 'assignment.revoked', held.person_id, t.project_id, t.item_id, t.id, held.id WHERE held.id IS NOT NULL;
    PERFORM move_approval(a, 'voided', by_person, NULL, NULL);
    held_by := held.person_id; was_overturn := a.overturns;
EXCEPTION WHEN lock_not_available THEN                                 -- a submit has its assignment and waits for this task
    RAISE EXCEPTION 'somebody is deciding on it' USING ERRCODE = 'serialization_failure';
END $$;

-- Evidence that changes voids what was proposed about it: whoever holds the approval is told, and the item is looked at again.
CREATE OR REPLACE FUNCTION void_approval() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE held_by int; was_overturn boolean;
BEGIN
    SELECT e.held_by, e.was_overturn INTO held_by, was_overturn FROM end_approval(OLD, 0) e;
    IF NOT was_overturn THEN
        PERFORM raise_task(NEW, 'review', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                           ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = OLD.item_id AND d.assignment_id IS NOT NULL), 'evidence_changed', 0)
           FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = OLD.item_id;
    END IF;
    NEW.ended_as := 'voided'; NEW.ended_at := clock_timestamp(); NEW.seen_by := array_remove(NEW.seen_by, held_by);
    NEW.evidence_version := OLD.evidence_version; NEW.shown_version := OLD.shown_version; NEW.evidence_hash := OLD.evidence_hash;
    RETURN NEW;
END $$;

-- The overturn of an item that waits, if there is one, is void.
CREATE FUNCTION void_overturn(of_item bigint, by_person int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE t tasks; held_by int;
BEGIN
    SELECT x.* INTO t FROM approvals a JOIN tasks x ON x.id = COALESCE(a.decider_id, a.task_id)
     WHERE a.open_item = of_item AND a.overturns AND x.ended_as IS NULL FOR NO KEY UPDATE OF x;
    IF FOUND THEN                                                      -- else: none waits, or it moved on and what was undone is refused as overturned
        SELECT e.held_by INTO held_by FROM end_approval(t, by_person) e;
        UPDATE tasks SET ended_as = 'voided', ended_at = clock_timestamp(), seen_by = array_remove(seen_by, held_by) WHERE id = t.id;
    END IF;
END $$;

-- Undoes outcomes of a batch whose effects never went out: superseded by a re-opening that has no effects either, once. Overturns of them that wait are void.
CREATE OR REPLACE FUNCTION undo_batch(of_batch bigint, of_decisions bigint[], by_person int) RETURNS SETOF bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
WITH target AS MATERIALIZED (
    SELECT d.*, p.version FROM keep_effects(of_batch, of_decisions) k (id) JOIN decisions d ON d.id = k.id JOIN projects p ON p.id = d.project_id),
cleared AS MATERIALIZED (SELECT count(void_overturn(item_id, by_person)) AS n FROM (SELECT item_id FROM target ORDER BY item_id OFFSET 0) t),
undone AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, evidence_version, shown_version, evidence_hash, reason_code, note)
    SELECT item_id, task_id, project_id, version, by_person, 'overturn', 'reopen', id, evidence_version, shown_version, evidence_hash, 'desk.undone', ''
      FROM target WHERE (SELECT n FROM cleared) >= 0 ORDER BY id
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
