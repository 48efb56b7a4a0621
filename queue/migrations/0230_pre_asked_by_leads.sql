-- What four eyes and batch decisions rest on is not for whoever has the password of a role to make up.

-- Nothing but an undo is free of four eyes for being called one: an item is opened again that a batch decision settled, and nothing of that went out.
CREATE FUNCTION undoes(d decisions) RETURNS boolean LANGUAGE sql AS $$
    SELECT d.outcome = 'reopen' AND EXISTS (SELECT FROM batch_ends e WHERE e.decision_id = d.supersedes AND e.came_to = 'decided')
       AND NOT EXISTS (SELECT FROM outbox o WHERE o.decision_id = d.supersedes AND (NOT o.undone OR o.attempts > 0)) $$;

-- The rule of a project that asks for a second pair of eyes on an outcome: the first that matches in all that it names; null where none does.
-- An item that came without an amount counts as one of any amount. What several looks agree on has the reason of each.
CREATE OR REPLACE FUNCTION eyes_rule(of_project int, of_item bigint, of_task bigint, of_outcome text, overturns boolean, reason text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE found jsonb;
BEGIN
    SELECT r.rule INTO found
      FROM projects p CROSS JOIN LATERAL jsonb_array_elements(p.four_eyes) WITH ORDINALITY r (rule, n)
      JOIN customers c ON c.id = p.customer_id JOIN items i ON i.id = of_item LEFT JOIN messages m ON m.id = i.message_id
     WHERE p.id = of_project
       AND (r.rule ->> 'verdict' IS NULL OR r.rule ->> 'verdict' = of_outcome OR overturns AND r.rule ->> 'verdict' = 'overturn')
       AND (r.rule ->> 'reason_code' IS NULL OR r.rule ->> 'reason_code' = reason
            OR reason = 'agreement' AND EXISTS (SELECT FROM decisions d WHERE d.item_id = of_item AND d.task_id = of_task AND d.reason_code = r.rule ->> 'reason_code'))
       AND (r.rule ->> 'customer' IS NULL OR r.rule ->> 'customer' = c.name)
       AND (r.rule ->> 'amount_from' IS NULL OR m.id IS NULL OR abs(m.variance_amount) >= (r.rule ->> 'amount_from')::numeric)
       AND (r.rule ->> 'currency' IS NULL OR m.id IS NULL OR m.currency = r.rule ->> 'currency')
     ORDER BY r.n LIMIT 1;
    RETURN found;
END $$;

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
    ELSIF NOT EXISTS (SELECT FROM projects p WHERE p.id = NEW.project_id AND p.four_eyes IS NOT NULL) OR NEW.reason_code = 'desk.undone' AND undoes(NEW) OR
          eyes_rule(NEW.project_id, NEW.item_id, NEW.task_id, NEW.outcome, NEW.supersedes IS NOT NULL, NEW.reason_code) IS NULL THEN
        IF NEW.supersedes IS NOT NULL AND EXISTS (SELECT FROM approvals a WHERE a.open_item = NEW.item_id AND a.overturns
                                                    AND NEW.task_id IS DISTINCT FROM a.decider_id) THEN
            RAISE EXCEPTION 'another decision on this item waits for its second pair of eyes' USING ERRCODE = 'unique_violation', CONSTRAINT = 'approvals_one_open';
        END IF;
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'this outcome needs a second pair of eyes' USING ERRCODE = 'check_violation', CONSTRAINT = 'decisions_four_eyes';
END $$;

-- A project's rule in force is that of its version: nobody takes it away, not even for a moment, without a version that says so.
CREATE FUNCTION keep_four_eyes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF COALESCE(NEW.four_eyes, '[]') <> COALESCE((SELECT jsonb_strip_nulls(v.rules -> 'four_eyes') FROM project_versions v WHERE v.project_id = NEW.id AND v.version = NEW.version), '[]') THEN
        RAISE EXCEPTION 'the four_eyes of project % are not those of its version %', NEW.id, NEW.version USING ERRCODE = 'check_violation', CONSTRAINT = 'projects_four_eyes';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER keep_four_eyes AFTER UPDATE OF four_eyes, version ON projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_four_eyes();

-- Workers write what leads asked for, and ask for nothing in a lead's name: that a bound is met is the web's to say, what the list and its sample are the workers'.
REVOKE INSERT ON batch_decisions, item_actions FROM claimcheck_worker;
REVOKE UPDATE (looked, wrong, rest, upper) ON batch_decisions FROM claimcheck_worker;
REVOKE UPDATE (members, seed, sample_size, undo_until) ON batch_decisions FROM claimcheck_web;
REVOKE INSERT ON batch_members FROM claimcheck_web;
