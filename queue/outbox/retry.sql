-- outbox: dead → pending, or a waiting one's pause is cut short, by an operator: new attempts under the same webhook-id, and its endpoint rests no longer.
-- No row: it is on its way, ended, or was retried by somebody else and not tried since.
WITH retried AS (
    UPDATE outbox o SET state = 'pending', attempts = 0, unanswered = 0, first_tried = NULL, due = greatest(clock_timestamp(), o.not_before), push_due = greatest(clock_timestamp(), o.not_before)
     WHERE o.id = %(outbox_id)s::bigint AND o.state IN ('pending', 'dead')
       AND (o.state = 'dead' OR o.attempts > 0 OR EXISTS (SELECT FROM effects e WHERE e.id = o.effect_id AND e.failures > 0))
    RETURNING o.id, o.decision_id, o.effect_id, old.attempts, old.state),
woken AS (
    UPDATE effects e SET failures = 0, rest_until = NULL FROM retried WHERE e.id = retried.effect_id AND e.failures > 0)
INSERT INTO events (kind, person_id, project_id, item_id, decision_id, detail)
SELECT 'effect.retried', %(me)s::int, e.project_id, d.item_id, d.id,
       jsonb_build_object('outbox', retried.id, 'was', retried.state, 'attempts', retried.attempts)
  FROM retried JOIN effects e ON e.id = retried.effect_id LEFT JOIN decisions d ON d.id = retried.decision_id;
