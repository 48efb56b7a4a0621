-- batch_decisions: gathering → sampling. The list is complete, so a seed is given, and with it the sample: the first `size` by SHA-256 of "seed:item".
WITH batch AS MATERIALIZED (
    UPDATE batch_decisions SET state = 'sampling', seed = %(seed)s::text, sample_size = %(size)s::int, drawn = %(size)s::int, touched_at = clock_timestamp()
     WHERE id = %(batch_id)s::bigint AND state = 'gathering' AND seed IS NULL
    RETURNING id, project_id, led_by, seed, sample_size, members),
drawn AS (
    INSERT INTO batch_draws (batch_id, place, n)
    SELECT m.batch_id, row_number() OVER (ORDER BY sha256(convert_to(batch.seed || ':' || m.item_id, 'UTF8'))), m.n
      FROM batch JOIN batch_members m ON m.batch_id = batch.id
     ORDER BY sha256(convert_to(batch.seed || ':' || m.item_id, 'UTF8')) LIMIT %(size)s::int)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'batch_decision.drawn', led_by, project_id, jsonb_build_object('batch_decision', id, 'members', members, 'seed', seed, 'sample_size', sample_size) FROM batch;
