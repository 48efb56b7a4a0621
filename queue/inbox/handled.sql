-- inbox: waiting → gone, for what became of each message is on record; its partition is free again and goes behind the others. This is the fence, too: who lost a
-- lease finds less than was given, and undoes all of it. Its locks come last, so that admission waits for them no longer than the commit takes.
WITH mine AS MATERIALIZED (
    SELECT p.id FROM unnest(%(partition_ids)s::bigint[], %(leases)s::uuid[]) g(partition_id, lease)
      JOIN inbox_partitions p ON p.id = g.partition_id AND p.lease = g.lease
     ORDER BY p.project_id, p.key FOR NO KEY UPDATE OF p),
given AS MATERIALIZED (
    SELECT * FROM unnest(%(message_ids)s::bigint[], %(item_ids)s::bigint[], %(queues)s::text[], %(codes)s::text[], %(dead_letter_ids)s::bigint[])
                  g(message_id, item_id, queue, code, dead_letter_id)),
left_it AS (
    DELETE FROM inbox i USING given WHERE i.message_id = given.message_id RETURNING i.message_id, i.partition_id, i.attempts),
freed AS (
    UPDATE inbox_partitions p SET open = p.open - COALESCE(l.n, 0), due = clock_timestamp(), lease = NULL, lease_until = NULL, begun = false
      FROM mine LEFT JOIN (SELECT partition_id, count(*)::int AS n FROM left_it GROUP BY partition_id) l ON l.partition_id = mine.id WHERE p.id = mine.id),
recorded AS (
    INSERT INTO pipeline_records (decision, project_id, message_id, idempotency_key, trace_id, source_hash, match_decision, currency, variance_amount, route, queue,
                                  item_id, dead_letter_id, code, worker, settings_version, detail)
    SELECT CASE WHEN g.item_id IS NULL THEN 'refused' ELSE 'routed' END, m.project_id, m.id, m.idempotency_key, m.trace_id, m.source_hash, m.match_decision,
           m.currency, m.variance_amount, CASE WHEN g.item_id IS NULL THEN NULL WHEN g.queue = 'automatic' THEN 'AUTO_RESOLVE' ELSE 'ROUTE_REVIEW' END,
           CASE WHEN g.item_id IS NOT NULL THEN g.queue END, g.item_id, g.dead_letter_id, g.code, %(worker)s::text, %(settings_version)s::int,
           jsonb_build_object('attempts', l.attempts)
      FROM left_it l JOIN given g USING (message_id) JOIN messages m ON m.id = l.message_id ORDER BY m.id)
SELECT id AS partition_id FROM mine;
