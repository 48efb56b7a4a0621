-- An item that is settled, and its effects as decisions/submit.sql puts them into the outbox.
WITH item AS (
    INSERT INTO items (project_id, batch_id, idempotency_key, source_hash, trace_id, priority, partition_id, partition_no, evidence_version)
    SELECT %(project)s, b.id, %(key)s, %(hash)s, 'trace-' || %(key)s, 0, %(partition)s, %(no)s, 1
      FROM batches b WHERE b.project_id = %(project)s
    RETURNING *),
task AS (
    INSERT INTO tasks (item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, price_minor, shown_version, evidence_version,
                       evidence_hash, partition_id, partition_no, seen_by, votes, lease_count, ended_as, ended_at)
    SELECT i.id, i.project_id, 'review', q.id, q.lane_id, 0, 0, clock_timestamp(), 1, 0, 1, 1,
           %(hash)s, %(partition)s, %(no)s, '{0}', '{approve}', 1, 'decided', clock_timestamp()
      FROM item i JOIN queues q ON q.project_id = i.project_id
    RETURNING *),
decision AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, shown_version, evidence_version, evidence_hash,
                           reason_code, note)
    SELECT item_id, id, project_id, 1, 0, 'approve', 'approve', 1, 1, %(hash)s, 'ok', %(note)s FROM task
    RETURNING id, project_id),
wanted AS MATERIALIZED (
    SELECT d.id AS decision_id, e.id AS effect_id, row_number() OVER (ORDER BY e.kind, e.id)::int AS nth, count(*) OVER ()::int AS of
      FROM decision d JOIN effects e ON e.project_id = d.project_id AND 'approve' = ANY (e.on_outcomes)),
moved AS (
    UPDATE partitions p SET effect_no = p.effect_no + (SELECT max(of) FROM wanted) WHERE p.id = %(partition)s RETURNING p.id, old.effect_no AS before),
queued AS (
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no)
    SELECT w.decision_id, w.effect_id, moved.id, moved.before + w.nth FROM wanted w LEFT JOIN moved ON true)
SELECT id FROM decision
