-- batch_decisions: gathering | sampling → dropping, by a lead, or by the desk where it was left alone. Its items go back to their queues.
WITH moved AS (
    UPDATE batch_decisions SET state = 'dropping', why = %(why)s::text, touched_at = clock_timestamp()
     WHERE id = %(batch_id)s::bigint AND state IN ('gathering', 'sampling') AND version = COALESCE(%(version)s::int, version)
    RETURNING id, project_id, why)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'batch_decision.dropped', %(me)s::int, project_id, jsonb_build_object('batch_decision', id, 'why', why) FROM moved;
