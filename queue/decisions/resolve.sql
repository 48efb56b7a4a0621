-- tasks: automatic, pending → settled by the system, since nothing varies, or → proposed where the project wants a second pair of eyes on that too (no `decision_id`).
-- At most `limit` at once; a partition's next one has its turn in the next round.
WITH pick AS MATERIALIZED (
    SELECT t.id FROM tasks t WHERE t.lane_id = 0 AND t.state = 'pending' ORDER BY t.rank LIMIT %(limit)s::int FOR NO KEY UPDATE SKIP LOCKED),
judged AS MATERIALIZED (
    SELECT t.id, p.version, CASE WHEN p.four_eyes IS NOT NULL THEN eyes_rule(p.id, t.item_id, t.id, 'approve', false, 'auto_zero_variance') END AS rule
      FROM pick JOIN tasks t ON t.id = pick.id JOIN projects p ON p.id = t.project_id),
all_ended AS (
    UPDATE tasks t SET ended_as = CASE WHEN judged.rule IS NULL THEN 'decided' ELSE 'proposed' END, ended_at = clock_timestamp() FROM judged WHERE t.id = judged.id
    RETURNING t, judged.version, judged.rule),
ended AS MATERIALIZED (
    SELECT (t).id, (t).item_id, (t).project_id, (t).partition_id, (t).partition_no, (t).evidence_version, (t).shown_version, (t).evidence_hash, (t).ended_at
      FROM all_ended WHERE rule IS NULL),
proposed AS MATERIALIZED (
    SELECT (t).item_id, propose(t, version, 0, 'approve', NULL, 'approve', NULL, 'auto_zero_variance', '', rule) AS approval_id
      FROM (SELECT * FROM all_ended WHERE rule IS NOT NULL ORDER BY (t).id OFFSET 0) a),
outcome AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, evidence_version, shown_version, evidence_hash,
                           reason_code, created_at)
    SELECT ended.item_id, ended.id, p.id, p.version, 0, 'approve', 'approve', ended.evidence_version, ended.shown_version, ended.evidence_hash,
           'auto_zero_variance', ended.ended_at
      FROM ended JOIN projects p ON p.id = ended.project_id ORDER BY ended.id
    RETURNING id, item_id, task_id, project_id),
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
    SELECT o.id AS decision_id, o.task_id, e.id AS effect_id, row_number() OVER (PARTITION BY o.id ORDER BY e.kind, e.id)::int AS nth,
           count(*) OVER (PARTITION BY o.id)::int AS of
      FROM outcome o JOIN effects e ON e.project_id = o.project_id
     WHERE 'approve' = ANY (e.on_outcomes)),
moved AS (                                                             -- partitions_head_promoted refuses this if an item came in unseen: run again
    UPDATE partitions p
       SET settled_no  = CASE WHEN ended.partition_no = p.settled_no + 1 THEN p.settled_no + 1 ELSE p.settled_no END,
           promoted_no = COALESCE(promoted.partition_no, p.promoted_no),
           effect_no   = p.effect_no + COALESCE((SELECT max(w.of) FROM wanted_effects w WHERE w.task_id = ended.id), 0)
      FROM ended LEFT JOIN promoted ON promoted.partition_id = ended.partition_id WHERE p.id = ended.partition_id
    RETURNING p.id, ended.id AS task_id, old.effect_no AS before),
queued AS (
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no)
    SELECT w.decision_id, w.effect_id, moved.id, moved.before + w.nth FROM wanted_effects w LEFT JOIN moved ON moved.task_id = w.task_id
     ORDER BY w.decision_id, w.nth),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id)
    SELECT 'item.resolved', 0, project_id, item_id, task_id, id FROM outcome),
recorded AS (
    INSERT INTO pipeline_records (decision, project_id, message_id, idempotency_key, trace_id, source_hash, match_decision, currency, variance_amount, route,
                                  queue, item_id, worker, settings_version, detail)
    SELECT 'resolved', o.project_id, i.message_id, i.idempotency_key, i.trace_id, m.source_hash, m.match_decision, m.currency, m.variance_amount, 'AUTO_RESOLVE',
           i.queue, i.id, %(worker)s::text, %(settings_version)s::int, jsonb_build_object('decision_id', o.id)
      FROM outcome o JOIN items i ON i.id = o.item_id LEFT JOIN messages m ON m.id = i.message_id)
SELECT id AS decision_id, item_id FROM outcome UNION ALL SELECT NULL, item_id FROM proposed;
