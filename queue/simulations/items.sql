-- items: none → durable, tasks: none → pending; a simulation's have no payload.
WITH project AS MATERIALIZED (
    SELECT p.*, q.id AS queue_id, q.lane_id FROM projects p JOIN queues q ON q.project_id = p.id AND q.name = 'review' WHERE p.id = %(project_id)s::int),
batch AS (
    INSERT INTO batches (project_id, created_by) SELECT id, 0 FROM project RETURNING id),
made AS (
    INSERT INTO items (project_id, batch_id, idempotency_key, source_hash, trace_id, priority, evidence_version)
    SELECT project.id, batch.id, g.key, sha256(g.key::bytea), 'simulated', 0, 1
      FROM project, batch, unnest(%(keys)s::text[]) WITH ORDINALITY g(key, nth) ORDER BY nth
    RETURNING id, idempotency_key),
version AS (
    INSERT INTO evidence (item_id, version, title, fields, created_by, published_at) SELECT id, 1, '', '{}', 0, clock_timestamp() FROM made),
task AS (
    INSERT INTO tasks (item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, abandon_limit, price_minor, evidence_version, shown_version, evidence_hash)
    SELECT made.id, project.id, 'review', project.queue_id, project.lane_id, 0, row_number() OVER (ORDER BY made.id), clock_timestamp(), project.wanted, project.abandon_limit,
           project.price_minor, 1, project.shown_version, sha256('simulated'::bytea)
      FROM made, project WHERE NOT made.idempotency_key = ANY (%(golds)s::text[]))
SELECT id, idempotency_key AS key FROM made;
