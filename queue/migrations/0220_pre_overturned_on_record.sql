-- An approved overturn is on record as any other is; and nothing decides a task outside a look by decide_task.
-- An outcome written beside a submit: its effects, from a moment on, and its partition's turn. `t` is its task, which has ended. The outcome's id.
CREATE OR REPLACE FUNCTION put_outcome(o decisions, t tasks, from_then timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE made bigint; raised bigint; next_id bigint; next_no int; of int; before int; on_what text := CASE WHEN o.supersedes IS NULL THEN o.outcome ELSE 'overturn' END;
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
        SELECT raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                          ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'reopened', o.person_id)
          INTO raised FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = t.item_id;
    END IF;
    IF o.supersedes IS NOT NULL THEN
        INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
        VALUES ('decision.overturned', o.person_id, o.project_id, o.item_id, o.task_id, made,
                jsonb_strip_nulls(jsonb_build_object('supersedes', o.supersedes, 'reopened', raised)));
    END IF;
    RETURN made;
END $$;

DROP FUNCTION decide_task(tasks, int, text, jsonb, text, text, timestamptz);
