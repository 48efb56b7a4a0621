-- assignments: live → submitted; tasks: the last wanted look ends it. One statement, one commit; `result` says what happened.
WITH lease AS MATERIALIZED (                                           -- the fence is read by primary key alone and judged on the locked row
    SELECT * FROM assignments WHERE id = %(assignment_id)s::bigint FOR NO KEY UPDATE),
fence AS MATERIALIZED (                                                -- expiry alone does not void a token: the seat's next claim does
    SELECT lease.*, clock_timestamp() AS at FROM lease WHERE token = %(lease_token)s::uuid AND person_id = %(me)s::int),
task AS MATERIALIZED (
    SELECT t.id, t.evidence_hash = %(evidence_hash)s::bytea AS same_evidence, t.cancelled_at IS NOT NULL AND fence.lease_expires <= fence.at AS too_late,
           cardinality(t.votes) = COALESCE(%(looks_before)s::int, cardinality(t.votes)) AS same_looks,
           CASE WHEN t.kind = 'approval' THEN no_other_eyes(t, %(me)s::int) ELSE false END AS same_eyes,
           t.kind, t.votes, t.wanted, t.project_id, fence.id AS assignment_id, fence.person_id, fence.at
      FROM fence JOIN tasks t ON t.id = fence.task_id
     WHERE fence.ended_at IS NULL AND t.ended_as IS NULL
       FOR NO KEY UPDATE OF t),
accepted AS MATERIALIZED (                                              -- of the locked row: another look's decision is outside this snapshot
    SELECT task.id AS task_id, assignment_id, person_id, at, kind, p.version, p.currency, p.four_eyes,
           CASE WHEN cardinality(votes) + 1 < task.wanted THEN NULL
                WHEN kind = 'gold' THEN 'decided'                      -- nothing follows from it
                WHEN %(looks_before)s::int IS NOT NULL THEN NULLIF(%(ends_as)s::text, 'more')   -- as the project's rules judged these very looks
                WHEN 'escalate' = ANY (votes || %(vote)s::text) THEN 'escalated'
                WHEN votes <@ ARRAY[%(vote)s::text] THEN 'decided'
                ELSE 'disputed' END AS comes_to
      FROM task JOIN projects p ON p.id = task.project_id
     WHERE same_evidence AND NOT too_late AND same_looks AND NOT same_eyes),
eyes AS MATERIALIZED (                                                 -- no row, and no work, unless somebody else has a say in it
    SELECT second_eyes(task_id, %(me)s::int, COALESCE(%(settles_verdict)s::text, %(verdict)s::text), COALESCE(%(settles_answer)s::jsonb, %(answer)s::jsonb),
                       %(reason_code)s::text) AS ends_as
      FROM accepted WHERE kind = 'approval' OR four_eyes IS NOT NULL AND comes_to = 'decided' AND kind <> 'gold'),
ended AS (
    UPDATE assignments a SET ended_at = accepted.at, end_reason = 'submitted' FROM accepted WHERE a.id = accepted.assignment_id),
tallied AS (
    UPDATE tasks t
       SET votes    = t.votes || %(vote)s::text,
           wanted   = t.wanted + CASE %(ends_as)s::text WHEN 'more' THEN 1 ELSE 0 END,
           ended_at = CASE WHEN comes_to IS NOT NULL THEN accepted.at END,
           ended_as = COALESCE((SELECT ends_as FROM eyes), comes_to)
      FROM accepted WHERE t.id = accepted.task_id
    RETURNING t, accepted.assignment_id, accepted.person_id, accepted.at, accepted.version, accepted.currency),
tally AS MATERIALIZED (
    SELECT t, assignment_id, person_id, at,
           (t).id, (t).item_id, (t).project_id, (t).partition_id, (t).partition_no, (t).evidence_version, (t).shown_version, (t).evidence_hash, (t).wanted, (t).price_minor,
           (t).ended_as, (t).ended_as IS NOT DISTINCT FROM 'decided' AND (t).kind <> 'approval' AS final, version, currency,
           CASE WHEN (t).ended_as = 'decided' AND (t).kind <> 'approval' AND (t).kind <> 'gold'
                THEN CASE WHEN %(answer)s::jsonb IS NULL THEN COALESCE(%(settles_verdict)s::text, %(verdict)s::text) ELSE 'answer' END END AS outcome
      FROM tallied),
recorded AS (                                                          -- the look, and where several agree the outcome: the system's decision
    INSERT INTO decisions (assignment_id, item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, evidence_version, shown_version, evidence_hash,
                           reason_code, note, created_at)
    SELECT d.assignment_id, tally.item_id, tally.id, tally.project_id, tally.version, d.person_id, d.verdict, d.answer, d.outcome, tally.evidence_version,
           tally.shown_version, tally.evidence_hash, d.reason_code, d.note, tally.at
      FROM tally CROSS JOIN LATERAL (VALUES
            (tally.assignment_id, tally.person_id, CASE WHEN tally.wanted = 1 THEN tally.outcome END, %(reason_code)s::text, %(note)s::text, %(verdict)s::text, %(answer)s::jsonb),
            (NULL, 0, CASE WHEN tally.wanted > 1 THEN tally.outcome END, 'agreement', '',
             COALESCE(%(settles_verdict)s::text, %(verdict)s::text), COALESCE(%(settles_answer)s::jsonb, %(answer)s::jsonb))) d (assignment_id, person_id, outcome, reason_code, note, verdict, answer)
     WHERE d.assignment_id IS NOT NULL OR d.outcome IS NOT NULL
    RETURNING id, assignment_id, project_id, outcome),
paid AS (
    INSERT INTO payouts (assignment_id, person_id, amount_minor, currency) SELECT assignment_id, person_id, price_minor, currency FROM tally),
raised AS (                                                            -- looks that differ, or ask for it, go to a lead who took none of them
    SELECT raise_task(tally.t, to_whom, to_whom, (tally.t).priority + 10, 1, NULL, CASE to_whom WHEN 'adjudication' THEN COALESCE(%(adjudication_price)s::bigint, tally.price_minor) ELSE tally.price_minor END,
                      (tally.t).seen_by || (tally.t).barred, COALESCE(%(because)s::text, tally.ended_as), %(me)s::int) AS task_id
      FROM tally CROSS JOIN LATERAL (SELECT CASE tally.ended_as WHEN 'disputed' THEN 'adjudication' ELSE 'escalation' END) led (to_whom)
     WHERE tally.ended_as IN ('escalated', 'disputed') AND (tally.t).kind <> 'approval'),
seen_again AS (                                                        -- the proposal instead of an outcome, or what a second look comes to
    SELECT see_again(tally.t, tally.version, %(me)s::int, COALESCE(%(settles_verdict)s::text, %(verdict)s::text), COALESCE(%(settles_answer)s::jsonb, %(answer)s::jsonb),
                     %(reason_code)s::text, %(note)s::text) AS approval_id
      FROM tally JOIN eyes ON (tally.t).kind = 'approval' OR tally.ended_as = 'proposed' JOIN recorded look ON look.assignment_id IS NOT NULL),
next AS MATERIALIZED (                                                 -- the partition's turn goes to its next item
    SELECT n.id, n.partition_no
      FROM tally JOIN tasks n ON n.partition_id = tally.partition_id AND n.partition_no = tally.partition_no + 1 AND n.waits
     WHERE tally.final
       FOR NO KEY UPDATE OF n),
promoted AS (
    UPDATE tasks n SET waits = false FROM next WHERE n.id = next.id RETURNING n.partition_no),
wanted_effects AS MATERIALIZED (
    SELECT d.id AS decision_id, e.id AS effect_id, row_number() OVER (ORDER BY e.kind, e.id)::int AS nth
      FROM recorded d JOIN effects e ON e.project_id = d.project_id AND d.outcome = ANY (e.on_outcomes)),
moved AS (                                                             -- partitions_head_promoted refuses this if an item came in unseen: run again
    UPDATE partitions p
       SET settled_no  = CASE WHEN tally.partition_no = p.settled_no + 1 THEN p.settled_no + 1 ELSE p.settled_no END,   -- else: an older item, opened again
           promoted_no = COALESCE((SELECT partition_no FROM promoted), p.promoted_no),
           effect_no   = p.effect_no + (SELECT count(*) FROM wanted_effects)
      FROM tally WHERE p.id = tally.partition_id AND tally.final
    RETURNING p.id, old.effect_no AS before),
queued AS (
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no)
    SELECT e.decision_id, e.effect_id, moved.id, moved.before + e.nth FROM wanted_effects e LEFT JOIN moved ON true),
weighed AS (                                                           -- agreement is counted off the request
    INSERT INTO weighing (task_id) SELECT id FROM tally WHERE ended_as IN ('decided', 'disputed', 'proposed') AND wanted > 1),
counted AS (                                                           -- gold's turn comes by looks
    UPDATE person_skills s SET looks = s.looks + 1
      FROM tally WHERE s.person_id = tally.person_id AND s.skill_id = (SELECT l.skill_id FROM lanes l WHERE l.id = (tally.t).lane_id) AND s.gold_every > 0),
cleared AS (
    DELETE FROM drafts d USING tally WHERE d.task_id = tally.id AND d.person_id = tally.person_id),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, assignment_id, decision_id, detail)
    SELECT 'assignment.submitted', tally.person_id, tally.project_id, tally.item_id, tally.id, tally.assignment_id, (SELECT id FROM recorded WHERE assignment_id IS NOT NULL),
           jsonb_strip_nulls(jsonb_build_object('ended_as', tally.ended_as, 'outcome', (SELECT id FROM recorded WHERE outcome IS NOT NULL), 'raised', (SELECT task_id FROM raised),
                                                 'approval', (SELECT approval_id FROM seen_again)))
      FROM tally)
SELECT CASE WHEN look.id IS NOT NULL THEN 'accepted'
            WHEN past.id IS NOT NULL AND (past.verdict, past.answer, past.reason_code, past.note, past.evidence_hash)
                 IS NOT DISTINCT FROM (%(verdict)s::text, %(answer)s::jsonb, %(reason_code)s::text, %(note)s::text, %(evidence_hash)s::bytea) THEN 'repeated'
            WHEN past.id IS NOT NULL THEN 'different'
            WHEN fence.end_reason = 'submitted' THEN 'again'           -- its twin has just committed, unseen: the same call now answers
            WHEN task.too_late THEN 'cancelled'
            WHEN NOT task.same_evidence THEN 'evidence_changed'
            WHEN NOT task.same_looks THEN 'moved'                      -- another look came first: judge again
            WHEN task.same_eyes THEN 'same_eyes'
            ELSE 'stale' END AS result,
       COALESCE(look.id, past.id) AS decision_id
  FROM (VALUES (1)) one
  LEFT JOIN fence ON true
  LEFT JOIN task ON true
  LEFT JOIN recorded look ON look.assignment_id IS NOT NULL
  LEFT JOIN decisions past ON past.assignment_id = fence.id;
