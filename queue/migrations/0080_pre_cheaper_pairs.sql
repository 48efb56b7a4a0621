-- What a claim and a submit cost PostgreSQL. Each statement reads a table's checks anew, each with an overhead of its own: those without a name become
-- one that says the same (a check refuses what is false, and so does the AND of several). A list stands as one constant, which is read as one.
ALTER TABLE tasks
    DROP CONSTRAINT tasks_abandon_limit_check, DROP CONSTRAINT tasks_check, DROP CONSTRAINT tasks_check1, DROP CONSTRAINT tasks_check2,
    DROP CONSTRAINT tasks_ended_as_check, DROP CONSTRAINT tasks_evidence_hash_check, DROP CONSTRAINT tasks_kind_check,
    DROP CONSTRAINT tasks_price_minor_check, DROP CONSTRAINT tasks_priority_check, DROP CONSTRAINT tasks_wanted_check,
    ADD CONSTRAINT tasks_sound CHECK (
        abandon_limit > 0 AND price_minor >= 0 AND priority >= -10 AND priority <= 30 AND wanted >= 1 AND wanted <= 20 AND octet_length(evidence_hash) = 32
        AND (ended_as IS NULL) = (ended_at IS NULL) AND (partition_id IS NULL) = (partition_no IS NULL) AND NOT barred && seen_by
        AND kind = ANY ('{review,gold,adjudication,escalation,approval,relabel}'::text[])
        AND ended_as = ANY ('{decided,escalated,disputed,abandoned,returned}'::text[]));
ALTER TABLE assignments
    DROP CONSTRAINT assignments_check, DROP CONSTRAINT assignments_check1, DROP CONSTRAINT assignments_check2, DROP CONSTRAINT assignments_end_reason_check,
    ADD CONSTRAINT assignments_sound CHECK (
        (ended_at IS NULL) = (end_reason IS NULL) AND ended_at >= claimed_at AND lease_expires <= hold_until
        AND end_reason = ANY ('{submitted,released,skipped,expired,revoked}'::text[]));
ALTER TABLE decisions
    DROP CONSTRAINT decisions_check, DROP CONSTRAINT decisions_check1, DROP CONSTRAINT decisions_check2, DROP CONSTRAINT decisions_check3,
    DROP CONSTRAINT decisions_check4, DROP CONSTRAINT decisions_evidence_hash_check, DROP CONSTRAINT decisions_note_check,
    DROP CONSTRAINT decisions_outcome_check, DROP CONSTRAINT decisions_verdict_check,
    ADD CONSTRAINT decisions_sound CHECK (
        ((verdict = 'overturn') IS TRUE) = (supersedes IS NOT NULL) AND (verdict = 'overturn' OR num_nonnulls(verdict, answer) = 1)
        AND ((verdict = 'overturn') IS NOT TRUE OR (outcome IS NOT NULL AND (outcome = 'answer') = (answer IS NOT NULL)))
        AND (outcome IS DISTINCT FROM 'reopen' OR verdict = 'overturn') AND (assignment_id IS NULL OR supersedes IS NULL)
        AND octet_length(evidence_hash) = 32 AND length(note) <= 10000
        AND outcome = ANY ('{approve,reject,answer,reopen}'::text[]) AND verdict = ANY ('{approve,reject,escalate,overturn}'::text[]));
ALTER TABLE outbox
    DROP CONSTRAINT outbox_check, DROP CONSTRAINT outbox_check1, DROP CONSTRAINT outbox_check2, DROP CONSTRAINT outbox_check3, DROP CONSTRAINT outbox_state_check,
    ADD CONSTRAINT outbox_sound CHECK (
        (partition_id IS NULL) = (effect_no IS NULL) AND (state = 'leased') = (lease IS NOT NULL) AND (lease IS NULL) = (lease_until IS NULL)
        AND (state = 'done') = (done_at IS NOT NULL) AND state = ANY ('{pending,leased,done,dead,skipped}'::text[]));

-- Almost every row has none of these: an entry for each, all under the same key, was written for nothing.
ALTER TABLE tasks DROP CONSTRAINT tasks_parent_id_key;
CREATE UNIQUE INDEX tasks_parent_id_key ON tasks (parent_id) WHERE parent_id IS NOT NULL;
ALTER TABLE decisions DROP CONSTRAINT decisions_superseded_once;
CREATE UNIQUE INDEX decisions_superseded_once ON decisions (supersedes) WHERE supersedes IS NOT NULL;
ALTER TABLE payouts DROP CONSTRAINT payouts_reverses_key;
CREATE UNIQUE INDEX payouts_reverses_key ON payouts (reverses) WHERE reverses IS NOT NULL;
ALTER TABLE outbox DROP CONSTRAINT outbox_partition_id_effect_no_key;
CREATE UNIQUE INDEX outbox_partition_id_effect_no_key ON outbox (partition_id, effect_no) WHERE partition_id IS NOT NULL;

-- What a claim locks in cases that are rare. Beside the others they would be made ready, and taken down, in every claim.
-- They see what was committed since the claim began, so the claim asks only about tasks that it sees itself.
CREATE FUNCTION lock_named(of_ids bigint[], in_lanes int[], for_person int, at timestamptz)
RETURNS TABLE (task tasks, lapsed_id bigint, lapsed_by int, may_hold boolean) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY                                                       -- a free seat,
    SELECT t, NULL::bigint, NULL::int, true FROM tasks t
     WHERE t.id = ANY (of_ids) AND t.lane_id = ANY (in_lanes) AND NOT for_person = ANY (t.seen_by || t.barred)
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

CREATE FUNCTION lock_skipped(in_lanes int[], for_person int) RETURNS SETOF tasks LANGUAGE sql AS $$
    SELECT t.* FROM tasks t
     WHERE t.lane_id = (SELECT lane.id FROM unnest(in_lanes) lane (id) CROSS JOIN LATERAL (
                            SELECT t.since FROM tasks t
                             WHERE t.lane_id = lane.id AND t.state = 'pending' AND for_person = ANY (t.skipped_by) AND NOT for_person = ANY (t.seen_by || t.barred)
                             ORDER BY t.rank LIMIT 1) first
                         ORDER BY first.since LIMIT 1)
       AND t.state = 'pending' AND for_person = ANY (t.skipped_by) AND NOT for_person = ANY (t.seen_by || t.barred)
     ORDER BY t.rank LIMIT 1
       FOR NO KEY UPDATE OF t SKIP LOCKED $$;
