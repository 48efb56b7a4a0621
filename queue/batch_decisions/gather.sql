-- tasks: pending → held, at most 500 that are looked at, by a batch decision whose row is locked; its list grows by them.
WITH batch AS MATERIALIZED (SELECT * FROM batch_decisions WHERE id = %(batch_id)s::bigint AND state = 'gathering'),
seen AS MATERIALIZED (
    SELECT t.id FROM batch JOIN tasks t ON t.open_in = batch.project_id AND t.id > batch.looked_to ORDER BY t.id LIMIT 500),
fit AS MATERIALIZED (                                                  -- judged on the locked row; a claim walks past it meanwhile
    SELECT t.id, t.item_id, t.evidence_hash
      FROM batch CROSS JOIN seen JOIN tasks t ON t.id = seen.id JOIN items i ON i.id = t.item_id
     WHERE t.kind = 'review' AND t.wanted = 1 AND t.ended_as IS NULL AND t.cancelled_at IS NULL AND t.held_for IS NULL AND t.meant_for IS NULL AND NOT t.waits AND NOT t.paused
       AND cardinality(t.seen_by) = 0 AND NOT batch.led_by = ANY (t.closed_to) AND i.alike IS NOT NULL AND fits(i.alike, batch.same)
     ORDER BY t.id LIMIT (SELECT most - members FROM batch)
       FOR NO KEY UPDATE OF t SKIP LOCKED),
held AS (
    UPDATE tasks t SET held_for = batch.id FROM fit, batch WHERE t.id = fit.id),
listed AS (
    INSERT INTO batch_members (batch_id, n, item_id, task_id, evidence_hash)
    SELECT batch.id, batch.members + row_number() OVER (ORDER BY fit.id), fit.item_id, fit.id, fit.evidence_hash FROM fit CROSS JOIN batch),
moved AS (
    UPDATE batch_decisions b
       SET members = b.members + (SELECT count(*) FROM fit), touched_at = clock_timestamp(),
           looked_to = CASE WHEN b.members + (SELECT count(*) FROM fit) >= b.most THEN b.looked_to ELSE COALESCE((SELECT max(id) FROM seen), b.looked_to) END
      FROM batch WHERE b.id = batch.id
    RETURNING b.members, b.most)
SELECT moved.members, moved.members < moved.most AND EXISTS (SELECT FROM seen) AS more FROM moved;
