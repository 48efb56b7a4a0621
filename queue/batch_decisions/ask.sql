-- batch_decisions: none → gathering, by a lead, while the project goes on.
WITH asked AS (
    INSERT INTO batch_decisions (project_id, project_version, led_by, same, verdict, answer, reason_code, note, at_most, confidence, undo_seconds, most, tolerate, sample_asked)
    SELECT p.id, p.version, me.id, %(same)s::text[], %(verdict)s::text, %(answer)s::jsonb, %(reason_code)s::text, %(note)s::text, %(at_most)s::float8, %(confidence)s::float8,
           %(undo_seconds)s::int, %(most)s::int, %(tolerate)s::int, %(sample_asked)s::int
      FROM projects p JOIN people me ON me.id = %(me)s::int AND me.role = 'lead' AND me.disabled_at IS NULL
     WHERE p.id = %(project_id)s::int AND p.cancelled_at IS NULL
    RETURNING id, project_id, led_by, same),
noted AS (
    INSERT INTO events (kind, person_id, project_id, detail)
    SELECT 'batch_decision.asked', led_by, project_id, jsonb_build_object('batch_decision', id, 'same', to_jsonb(same)) FROM asked)
SELECT id FROM asked;
