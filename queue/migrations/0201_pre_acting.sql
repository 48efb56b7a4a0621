-- What each action does with one item; its row and its newest task are locked. Each answers why it did nothing, or null where it did it.

CREATE FUNCTION lock_item(of_item bigint, OUT i items, OUT t tasks) LANGUAGE plpgsql AS $$
BEGIN
    SELECT x.* INTO i FROM items x WHERE x.id = of_item FOR NO KEY UPDATE;
    LOOP
        SELECT x.* INTO t FROM tasks x WHERE x.id = (SELECT max(n.id) FROM (SELECT id FROM tasks WHERE item_id = of_item OFFSET 0) n) FOR NO KEY UPDATE;
        EXIT WHEN t.id IS NULL OR NOT EXISTS (SELECT FROM tasks x WHERE x.item_id = of_item AND x.id > t.id);   -- it may have moved on while we waited
    END LOOP;
END $$;

CREATE FUNCTION note_action(a item_actions, kind text, i items, t tasks, told jsonb) RETURNS void LANGUAGE sql AS $$
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, detail)
    VALUES (kind, a.asked_by, i.project_id, i.id, t.id, told || jsonb_build_object('action', a.id, 'why', a.why)) $$;

-- Kept for one person, or for nobody any more (no `to`).
CREATE FUNCTION assign_item(a item_actions, i items, t tasks) RETURNS text LANGUAGE plpgsql AS $$
DECLARE who people; until timestamptz := (a.what ->> 'until')::timestamptz;
BEGIN
    IF a.what ->> 'to' IS NULL THEN
        IF t.meant_for IS NULL THEN RETURN 'it is kept for nobody'; END IF;
        UPDATE tasks SET meant_for = NULL, meant_until = NULL WHERE id = t.id;
        PERFORM note_action(a, 'item.unassigned', i, t, '{}');
        RETURN NULL;
    END IF;
    SELECT p.* INTO who FROM people p WHERE p.id = (a.what ->> 'to')::int;
    IF t.state NOT IN ('pending', 'blocked', 'paused', 'held') THEN RETURN 'somebody holds it'; END IF;
    IF who.disabled_at IS NOT NULL OR who.id = ANY (t.seen_by || t.barred) OR NOT EXISTS (SELECT FROM lanes_of(who.id, who.role) l WHERE l.id = t.lane_id) THEN
        RETURN format('%s may not look at it', who.name);              -- not which of these: earlier looks are blind
    END IF;
    IF (SELECT count(*) FROM tasks x WHERE x.meant_for = who.id AND x.meant_until > clock_timestamp() AND x.id <> t.id) >= 100 THEN
        RETURN format('100 are kept for %s already', who.name);
    END IF;
    UPDATE tasks SET meant_for = who.id, meant_until = until WHERE id = t.id;
    UPDATE people SET meant_until = until WHERE id = who.id AND (meant_until IS NULL OR meant_until < until);
    PERFORM note_action(a, 'item.assigned', i, t, jsonb_build_object('to', who.id, 'until', until));
    RETURN NULL;
END $$;

-- Into another of the project's queues, at the end of those of its priority there.
CREATE FUNCTION move_item(a item_actions, i items, t tasks) RETURNS text LANGUAGE plpgsql AS $$
DECLARE q queues; halted boolean;
BEGIN
    SELECT x.* INTO q FROM queues x WHERE x.project_id = i.project_id AND x.name = a.what ->> 'queue';
    IF q.id IS NULL THEN RETURN format('its project has no queue %s', a.what ->> 'queue'); END IF;
    IF t.kind NOT IN ('review', 'relabel') THEN RETURN 'leads have it: send it back first'; END IF;
    IF COALESCE(t.queue_id = q.id, i.queue = q.name) THEN RETURN 'it is in that queue already'; END IF;
    i.queue := q.name;
    UPDATE items SET queue = q.name, alike = CASE WHEN alike IS NOT NULL THEN alike_of(i) END WHERE id = i.id;
    SELECT p.paused_at IS NOT NULL OR q.paused_at IS NOT NULL INTO halted FROM projects p WHERE p.id = i.project_id;
    UPDATE tasks SET queue_id = q.id, lane_id = q.lane_id, paused = halted, rank = (advance_clock(i.project_id, q.lane_id, t.priority, 1)).last WHERE id = t.id;
    PERFORM note_action(a, 'item.moved', i, t, jsonb_build_object('from', (SELECT name FROM queues WHERE id = t.queue_id), 'queue', q.name));
    RETURN NULL;
END $$;

-- To another priority: the item's own, and its task's place in the lane.
CREATE FUNCTION prioritise_item(a item_actions, i items, t tasks) RETURNS text LANGUAGE plpgsql AS $$
DECLARE wanted smallint := (a.what ->> 'priority')::smallint; of_task smallint := wanted + CASE WHEN t.kind IN ('escalation', 'adjudication', 'approval') THEN 10 ELSE 0 END;
BEGIN
    IF item_priority(i) = wanted THEN RETURN format('its priority is %s already', wanted); END IF;
    PERFORM note_action(a, 'item.prioritised', i, t, jsonb_build_object('from', item_priority(i), 'priority', wanted));
    UPDATE items SET priority = wanted, prioritised_at = clock_timestamp() WHERE id = i.id;
    UPDATE tasks x SET priority = of_task, rank = (advance_clock(i.project_id, t.lane_id, of_task, 1)).last, since = t.created_at - of_task * interval '10 minutes'
     WHERE x.id = t.id AND x.ended_as IS NULL;
    RETURN NULL;
END $$;

-- From the leads to another round of review; of what is settled, the outcome is superseded and the item opened again.
CREATE FUNCTION reopen_item(a item_actions, i items, OUT why text, OUT decision_id bigint, OUT lost boolean) LANGUAGE plpgsql AS $$
DECLARE d decisions; o decisions; parent tasks; by_rule jsonb; broken text;
BEGIN
    SELECT x.* INTO STRICT d FROM decisions x WHERE x.item_id = i.id AND x.outcome IS NOT NULL ORDER BY x.id DESC LIMIT 1;
    SELECT x.* INTO STRICT parent FROM tasks x WHERE x.id = d.task_id;
    INSERT INTO reason_codes (project_id, code, label, reserved) VALUES (i.project_id, 'desk.sent_back', 'Sent back by a lead', true) ON CONFLICT DO NOTHING;
    by_rule := eyes_rule(i.project_id, i.id, d.task_id, 'reopen', true, 'desk.sent_back');
    SELECT version INTO o.project_version FROM projects WHERE id = i.project_id;
    IF by_rule IS NOT NULL THEN
        PERFORM propose(parent, o.project_version, a.asked_by, 'overturn', NULL, 'reopen', d.id, 'desk.sent_back', a.why, by_rule);
        why := 'proposed: it waits for a second pair of eyes';
        RETURN;
    END IF;
    o.item_id := i.id; o.task_id := d.task_id; o.project_id := i.project_id; o.person_id := a.asked_by; o.verdict := 'overturn'; o.outcome := 'reopen'; o.supersedes := d.id;
    o.evidence_version := d.evidence_version; o.shown_version := d.shown_version; o.evidence_hash := d.evidence_hash; o.reason_code := 'desk.sent_back'; o.note := a.why;
    decision_id := put_outcome(o, parent, NULL);
    PERFORM note_action(a, 'item.sent_back', i, parent, jsonb_build_object('supersedes', d.id));
EXCEPTION WHEN unique_violation THEN
    GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
    IF broken NOT IN ('decisions_superseded_once', 'approvals_one_open') THEN RAISE; END IF;
    why := 'somebody overturned it just now'; decision_id := NULL; lost := true;
END $$;

CREATE FUNCTION return_item(a item_actions, i items, t tasks) RETURNS text LANGUAGE plpgsql AS $$
DECLARE held assignments; ended tasks;
BEGIN
    IF t.kind NOT IN ('escalation', 'adjudication') THEN RETURN 'it is in review already'; END IF;
    SELECT x.* INTO held FROM assignments x WHERE x.task_id = t.id AND x.ended_at IS NULL FOR NO KEY UPDATE SKIP LOCKED;
    IF held.lease_expires > clock_timestamp() OR held.id IS NULL AND cardinality(t.seen_by) > cardinality(t.votes) THEN RETURN 'somebody holds it'; END IF;
    UPDATE assignments SET ended_at = clock_timestamp(), end_reason = 'expired' WHERE id = held.id;
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, assignment_id)
    SELECT 'assignment.expired', held.person_id, i.project_id, i.id, t.id, held.id WHERE held.id IS NOT NULL;
    UPDATE tasks SET ended_as = 'returned', ended_at = clock_timestamp(), seen_by = array_remove(seen_by, held.person_id) WHERE id = t.id RETURNING * INTO ended;
    PERFORM raise_task(ended, 'review', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                       ARRAY(SELECT DISTINCT d.person_id FROM decisions d
                              WHERE d.item_id = i.id AND d.assignment_id IS NOT NULL AND d.verdict IS DISTINCT FROM 'escalate'), 'returned', a.asked_by)
       FROM projects p WHERE p.id = i.project_id;
    PERFORM note_action(a, 'task.returned', i, t, jsonb_build_object('note', a.why));
    RETURN NULL;
END $$;

-- Nobody takes it any more; a token that is live stays good until its end. Its partition goes on without it.
CREATE FUNCTION cancel_item(a item_actions, i items, t tasks) RETURNS text LANGUAGE plpgsql AS $$
DECLARE turn boolean := t.partition_id IS NOT NULL AND NOT t.waits AND t.partition_no > (SELECT p.settled_no FROM partitions p WHERE p.id = t.partition_id);
BEGIN
    IF turn AND EXISTS (SELECT FROM assignments x WHERE x.task_id = t.id AND x.ended_at IS NULL AND x.lease_expires > clock_timestamp()) THEN
        RETURN 'somebody holds it, and its partition goes on in order: cancel it when they are done';
    END IF;
    UPDATE tasks SET cancelled_at = clock_timestamp(), meant_for = NULL, meant_until = NULL WHERE id = t.id;
    PERFORM note_action(a, 'item.cancelled', i, t, '{}');
    IF turn THEN PERFORM pass_turn(t.partition_id, t.partition_no); END IF;
    RETURN NULL;
END $$;

-- One item: why nothing may be done with it, else the action. `why` is null where it was done; a done one may have something to say as well.
CREATE FUNCTION act_on(a item_actions, of_item bigint, OUT done boolean, OUT why text, OUT decision_id bigint) LANGUAGE plpgsql AS $$
DECLARE i items; t tasks; locked record; is_settled boolean;
BEGIN
    SELECT * INTO locked FROM lock_item(of_item);
    i := locked.i; t := locked.t;
    is_settled := COALESCE((SELECT d.outcome <> 'reopen' FROM decisions d WHERE d.item_id = i.id AND d.outcome IS NOT NULL ORDER BY d.id DESC LIMIT 1), false);
    why := CASE WHEN NOT EXISTS (SELECT FROM people p WHERE p.id = a.asked_by AND p.role = 'lead' AND p.disabled_at IS NULL) THEN 'who asked for it is a lead no more'
                WHEN i.id IS NULL OR i.gold THEN 'there is no such item'
                WHEN EXISTS (SELECT FROM projects p WHERE p.id = i.project_id AND p.cancelled_at IS NOT NULL) THEN 'its project was cancelled'
                WHEN t.ended_as IS NULL AND t.cancelled_at IS NOT NULL THEN 'it was cancelled before'
                WHEN t.ended_as IS NULL AND t.held_for IS NOT NULL THEN format('batch decision %s holds it', t.held_for)
                WHEN EXISTS (SELECT FROM approvals x WHERE x.open_item = i.id) AND (is_settled OR a.kind <> 'prioritise') THEN 'it waits for a second pair of eyes'
                WHEN is_settled AND a.kind <> 'send_back' THEN 'it is settled'
                WHEN t.id IS NULL AND a.kind NOT IN ('move', 'prioritise') THEN 'it is still being stored' END;
    done := why IS NULL;
    IF NOT done THEN RETURN; END IF;
    IF is_settled THEN
        SELECT r.why, r.decision_id, r.lost IS NULL INTO why, decision_id, done FROM reopen_item(a, i) r;
        RETURN;
    END IF;
    why := CASE a.kind WHEN 'assign' THEN assign_item(a, i, t) WHEN 'move' THEN move_item(a, i, t) WHEN 'prioritise' THEN prioritise_item(a, i, t)
                       WHEN 'send_back' THEN return_item(a, i, t) ELSE cancel_item(a, i, t) END;
    done := why IS NULL;
END $$;

-- The next item of an action, whose row is locked meanwhile; no row where none is left.
CREATE FUNCTION act_next(of_action bigint) RETURNS TABLE (at_n int, was_done boolean, said text, made bigint) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE a item_actions;
BEGIN
    SELECT x.* INTO a FROM item_actions x WHERE x.id = of_action AND x.state = 'acting' FOR NO KEY UPDATE;
    IF a.id IS NULL THEN RETURN; END IF;
    at_n := a.acted + 1;
    SELECT r.done, r.why, r.decision_id INTO was_done, said, made
      FROM item_action_members m CROSS JOIN LATERAL act_on(a, m.item_id) r WHERE m.action_id = a.id AND m.n = at_n;
    INSERT INTO item_action_ends (action_id, n, done, why) VALUES (a.id, at_n, was_done, said);
    UPDATE item_actions SET acted = at_n, done = a.done + was_done::int, touched_at = clock_timestamp(), state = CASE WHEN at_n = a.members THEN 'done' ELSE 'acting' END
     WHERE id = a.id;
    IF at_n = a.members THEN
        INSERT INTO events (kind, person_id, detail) VALUES ('item_action.done', 0, jsonb_build_object('action', a.id, 'done', a.done + was_done::int, 'of', a.members));
    END IF;
    RETURN NEXT;
END $$;
