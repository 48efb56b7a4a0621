-- outbox: dead → pending, the oldest 500 of all or of one effect, by an operator; as retry.
WITH dead AS MATERIALIZED (
    SELECT o.id FROM outbox o WHERE o.state = 'dead' AND (%(effect_id)s::int IS NULL OR o.effect_id = %(effect_id)s::int)
     ORDER BY o.id LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED),
retried AS (
    UPDATE outbox o SET state = 'pending', attempts = 0, unanswered = 0, first_tried = NULL, due = greatest(clock_timestamp(), o.not_before), push_due = greatest(clock_timestamp(), o.not_before)
      FROM dead WHERE o.id = dead.id
    RETURNING o.id, o.decision_id, o.effect_id, old.attempts),
woken AS (
    UPDATE effects e SET failures = 0, rest_until = NULL WHERE e.failures > 0 AND e.id IN (SELECT effect_id FROM retried))
INSERT INTO events (kind, person_id, project_id, item_id, decision_id, detail)
SELECT 'effect.retried', %(me)s::int, e.project_id, d.item_id, d.id, jsonb_build_object('outbox', retried.id, 'was', 'dead', 'attempts', retried.attempts)
  FROM retried JOIN effects e ON e.id = retried.effect_id LEFT JOIN decisions d ON d.id = retried.decision_id;
