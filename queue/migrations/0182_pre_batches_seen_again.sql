-- A batch decision writes proposals where the project wants a second pair of eyes on what it would write; such an item is listed with that as its why.
CREATE OR REPLACE FUNCTION decide_batch(of_batch bigint, at_once int) RETURNS int LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
WITH batch AS MATERIALIZED (
    SELECT b.* FROM batch_decisions b WHERE b.id = of_batch AND b.state = 'deciding' FOR NO KEY UPDATE),
due AS MATERIALIZED (
    SELECT m.*, EXISTS (SELECT FROM batch_draws d WHERE d.batch_id = m.batch_id AND d.n = m.n) AS sampled
      FROM batch JOIN batch_members m ON m.batch_id = batch.id
     WHERE NOT EXISTS (SELECT FROM batch_ends e WHERE e.batch_id = m.batch_id AND e.n = m.n) ORDER BY m.n LIMIT at_once),
locked AS MATERIALIZED (
    SELECT t AS task, due.n, due.evidence_hash, due.sampled FROM due JOIN tasks t ON t.id = due.task_id ORDER BY t.id FOR NO KEY UPDATE OF t),
fenced AS MATERIALIZED (
    SELECT l.*, look.id AS look_id,
           CASE WHEN l.sampled AND look.id IS NOT NULL THEN NULL
                WHEN (l.task).cancelled_at IS NOT NULL THEN 'the project was cancelled'
                WHEN (l.task).ended_as IS NOT NULL OR (l.task).held_for IS DISTINCT FROM batch.id THEN 'it was decided or moved otherwise'
                WHEN (l.task).evidence_hash <> l.evidence_hash THEN 'it changed since it was listed'
                WHEN cardinality((l.task).seen_by) > 0 THEN 'somebody holds it' END AS stale
      FROM locked l CROSS JOIN batch LEFT JOIN LATERAL (
           SELECT d.id FROM decisions d WHERE d.item_id = (l.task).item_id AND d.task_id = (l.task).id AND d.person_id = batch.led_by AND d.assignment_id IS NOT NULL) look ON true),
judged AS MATERIALIZED (                                               -- `rule`: what this would come to needs a second pair of eyes
    SELECT f.*, CASE WHEN f.stale IS NULL AND f.look_id IS NULL AND p.four_eyes IS NOT NULL
                     THEN eyes_rule(p.id, (f.task).item_id, (f.task).id, COALESCE(batch.verdict, 'answer'), false, batch.reason_code) END AS rule
      FROM fenced f CROSS JOIN batch JOIN projects p ON p.id = batch.project_id),
handed_on AS (
    UPDATE tasks t SET ended_as = 'proposed', ended_at = clock_timestamp() FROM judged j WHERE t.id = (j.task).id AND j.rule IS NOT NULL RETURNING t, j.rule),
proposed AS MATERIALIZED (
    SELECT propose(h.t, batch.project_version, batch.led_by, batch.verdict, batch.answer, COALESCE(batch.verdict, 'answer'), NULL, batch.reason_code, batch.note, h.rule) AS id
      FROM (SELECT * FROM handed_on ORDER BY (t).id OFFSET 0) h CROSS JOIN batch),
ended AS (
    UPDATE tasks t SET ended_as = 'decided', ended_at = clock_timestamp()
      FROM judged j WHERE t.id = (j.task).id AND j.stale IS NULL AND j.look_id IS NULL AND j.rule IS NULL
    RETURNING t.id, t.item_id, t.project_id, t.partition_id, t.partition_no, t.evidence_version, t.shown_version, t.evidence_hash, t.ended_at, j.n),
given_back AS (
    UPDATE tasks t SET held_for = NULL FROM judged j WHERE t.id = (j.task).id AND j.stale IS NOT NULL AND (j.task).ended_as IS NULL AND t.held_for = of_batch),
outcome AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, evidence_version, shown_version, evidence_hash,
                           reason_code, note, created_at)
    SELECT ended.item_id, ended.id, ended.project_id, batch.project_version, batch.led_by, batch.verdict, batch.answer, COALESCE(batch.verdict, 'answer'), ended.evidence_version,
           ended.shown_version, ended.evidence_hash, batch.reason_code, batch.note, ended.ended_at
      FROM ended CROSS JOIN batch ORDER BY ended.n
    RETURNING id, item_id, task_id, project_id, outcome, created_at),
turn AS MATERIALIZED (                                                 -- locked in one order, as by intake and publishing
    SELECT p.id FROM partitions p WHERE p.id IN (SELECT partition_id FROM ended) ORDER BY p.key, p.id FOR NO KEY UPDATE),
next AS MATERIALIZED (
    SELECT n.id, n.partition_id, n.partition_no
      FROM turn JOIN ended ON ended.partition_id = turn.id
      JOIN tasks n ON n.partition_id = ended.partition_id AND n.partition_no = ended.partition_no + 1 AND n.waits
       FOR NO KEY UPDATE OF n),
promoted AS (
    UPDATE tasks n SET waits = false FROM next WHERE n.id = next.id RETURNING n.partition_id, n.partition_no),
wanted_effects AS MATERIALIZED (
    SELECT o.id AS decision_id, o.task_id, o.created_at, e.id AS effect_id, row_number() OVER (PARTITION BY o.id ORDER BY e.kind, e.id)::int AS nth,
           count(*) OVER (PARTITION BY o.id)::int AS of
      FROM outcome o JOIN effects e ON e.project_id = o.project_id AND o.outcome = ANY (e.on_outcomes)),
moved AS (                                                             -- partitions_head_promoted refuses this if an item came in unseen: run again
    UPDATE partitions p
       SET settled_no  = CASE WHEN ended.partition_no = p.settled_no + 1 THEN p.settled_no + 1 ELSE p.settled_no END,
           promoted_no = COALESCE(promoted.partition_no, p.promoted_no),
           effect_no   = p.effect_no + COALESCE((SELECT max(w.of) FROM wanted_effects w WHERE w.task_id = ended.id), 0)
      FROM ended LEFT JOIN promoted ON promoted.partition_id = ended.partition_id WHERE p.id = ended.partition_id
    RETURNING p.id, ended.id AS task_id, old.effect_no AS before),
queued AS (                                                            -- not before the undo window is over
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no, due, push_due, not_before)
    SELECT w.decision_id, w.effect_id, moved.id, moved.before + w.nth, at, at, at
      FROM wanted_effects w CROSS JOIN batch LEFT JOIN moved ON moved.task_id = w.task_id
     CROSS JOIN LATERAL (SELECT w.created_at + make_interval(secs => batch.undo_seconds)) open (at)
     ORDER BY w.decision_id, w.nth),
ends AS (
    INSERT INTO batch_ends (batch_id, n, came_to, why, decision_id)
    SELECT of_batch, j.n, CASE WHEN COALESCE(j.stale, j.rule::text) IS NOT NULL THEN 'stale' WHEN j.look_id IS NOT NULL THEN 'opened' ELSE 'decided' END,
           CASE WHEN j.rule IS NOT NULL THEN 'it waits for a second pair of eyes' ELSE j.stale END,
           COALESCE(j.look_id, (SELECT o.id FROM outcome o WHERE o.task_id = (j.task).id))
      FROM judged j WHERE (SELECT count(*) FROM proposed) >= 0
    RETURNING n),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'item.batch_decided', batch.led_by, o.project_id, o.item_id, o.task_id, o.id, jsonb_build_object('batch_decision', of_batch) FROM outcome o CROSS JOIN batch)
SELECT count(*)::int FROM ends $$;
