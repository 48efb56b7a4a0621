-- An approval says which action over many items proposed it: whether one of an action's still waits is a single look, however many it proposed.
ALTER TABLE approvals ADD COLUMN action_id bigint REFERENCES item_actions;
ALTER TABLE approvals DISABLE TRIGGER moved;
UPDATE approvals x SET action_id = (SELECT max(m.action_id) FROM item_action_members m JOIN item_action_ends e USING (action_id, n) WHERE m.item_id = x.item_id AND e.done AND e.why IS NOT NULL)
 WHERE x.open_item IS NOT NULL AND x.overturns;
ALTER TABLE approvals ENABLE TRIGGER moved;
CREATE INDEX approvals_of_action ON approvals (action_id) WHERE open_item IS NOT NULL AND action_id IS NOT NULL;
CREATE INDEX projects_four_eyes ON projects (id) WHERE four_eyes IS NOT NULL;
DROP INDEX item_action_ends_proposed;

-- What needs a second pair of eyes is written down, and a task is raised for them. `of_action`: the action that it is a part of.
DROP FUNCTION propose(tasks, int, int, text, jsonb, text, bigint, text, text, jsonb);
CREATE FUNCTION propose(t tasks, of_version int, by_person int, said_verdict text, said_answer jsonb, said_outcome text, of_decision bigint, reason text, words text, by_rule jsonb,
                        of_action bigint DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
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
    INSERT INTO approvals (id, item_id, project_id, overturns, moved_by, action_id, task_id)
    SELECT made, t.item_id, t.project_id, of_decision IS NOT NULL, by_person, of_action,
           raise_task(t, 'approval', 'approval', item_priority(i) + 10, 1, NULL, p.price_minor, touched(t.item_id, 0), 'four_eyes', by_person)
      FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = t.item_id;
    RETURN made;
END $$;

CREATE OR REPLACE FUNCTION reopen_item(a item_actions, i items, OUT why text, OUT decision_id bigint, OUT lost boolean) LANGUAGE plpgsql AS $$
DECLARE d decisions; o decisions; parent tasks; by_rule jsonb; broken text;
BEGIN
    SELECT x.* INTO STRICT d FROM decisions x WHERE x.item_id = i.id AND x.outcome IS NOT NULL ORDER BY x.id DESC LIMIT 1;
    SELECT x.* INTO STRICT parent FROM tasks x WHERE x.id = d.task_id;
    INSERT INTO reason_codes (project_id, code, label, reserved) VALUES (i.project_id, 'desk.sent_back', 'Sent back by a lead', true) ON CONFLICT DO NOTHING;
    by_rule := eyes_rule(i.project_id, i.id, d.task_id, 'reopen', true, 'desk.sent_back');
    SELECT version INTO o.project_version FROM projects WHERE id = i.project_id;
    IF by_rule IS NOT NULL THEN
        PERFORM propose(parent, o.project_version, a.asked_by, 'overturn', NULL, 'reopen', d.id, 'desk.sent_back', a.why, by_rule, a.id);
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

CREATE OR REPLACE FUNCTION proposes(a item_actions) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT a.kind = 'send_back'
       AND (a.state IN ('gathering', 'listed', 'acting') AND EXISTS (SELECT FROM projects p WHERE p.four_eyes IS NOT NULL)
            OR EXISTS (SELECT FROM approvals x WHERE x.action_id = a.id AND x.open_item IS NOT NULL)) $$;
