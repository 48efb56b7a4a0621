-- dead_letters: open → replayed, whatever came of it; what was refused again is open under its own number.
WITH given AS MATERIALIZED (
    SELECT * FROM unnest(%(ids)s::bigint[], %(bodies)b::bytea[], %(results)s::text[], %(message_ids)s::bigint[], %(item_ids)s::bigint[],
                         %(again_ids)s::bigint[], %(codes)s::text[], %(details)s::text[], %(waits_again)s::boolean[])
                  WITH ORDINALITY g(dead_letter_id, body, result, message_id, item_id, again_id, code, detail, waits_again, nth)),
made AS (
    INSERT INTO dead_letter_replays (dead_letter_id, person_id, body, result, message_id, item_id, again_id, code, detail)
    SELECT g.dead_letter_id, %(person_id)s::int, g.body, g.result, g.message_id, g.item_id, g.again_id, g.code, g.detail FROM given g ORDER BY g.nth),
closed AS (
    DELETE FROM dead_letters_open o USING given g WHERE o.dead_letter_id = g.dead_letter_id),
recorded AS (                                                          -- of messages; an item that came by itself is no decision of the pipeline's
    INSERT INTO pipeline_records (decision, project_id, message_id, idempotency_key, trace_id, source_hash, dead_letter_id, code, worker, settings_version, detail)
    SELECT 'replayed', d.project_id, COALESCE(g.message_id, d.message_id), d.idempotency_key, d.trace_id, d.source_hash, d.id, g.code, %(worker)s::text,
           %(settings_version)s::int, jsonb_build_object('result', g.result, 'edited', g.body IS NOT NULL, 'again_id', g.again_id, 'waits_again', g.waits_again, 'by', %(person_id)s::int)
      FROM given g JOIN dead_letters d ON d.id = g.dead_letter_id WHERE d.source <> 'items' ORDER BY g.nth)
INSERT INTO events (kind, person_id, project_id, item_id, detail)
SELECT 'dead_letter.replayed', %(person_id)s::int, d.project_id, g.item_id,
       jsonb_strip_nulls(jsonb_build_object('dead_letter_id', d.id, 'result', g.result, 'edited', g.body IS NOT NULL, 'message_id', g.message_id,
                                            'again_id', g.again_id, 'code', g.code))
  FROM given g JOIN dead_letters d ON d.id = g.dead_letter_id ORDER BY g.nth;
