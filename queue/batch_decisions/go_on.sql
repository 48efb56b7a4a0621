-- batch_decisions: sampling → deciding, by the lead who looked at the sample; `batch_decisions_bound_met` refuses it where the bound is not met.
WITH moved AS (
    UPDATE batch_decisions
       SET state = 'deciding', looked = %(looked)s::int, wrong = %(wrong)s::int, rest = %(rest)s::int, upper = %(upper)s::int, touched_at = clock_timestamp()
     WHERE id = %(batch_id)s::bigint AND state = 'sampling' AND version = %(version)s::int AND led_by = %(me)s::int
    RETURNING id, project_id, led_by, looked, wrong, rest, upper)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'batch_decision.going_on', led_by, project_id,
       jsonb_build_object('batch_decision', id, 'looked', looked, 'wrong', wrong, 'rest', rest, 'upper', upper) FROM moved;
