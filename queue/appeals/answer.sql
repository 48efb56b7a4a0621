-- appeals: open → answered, by a lead; what follows for the skill is put by people/put_standing in the same transaction.
WITH answered AS (
    UPDATE appeals SET answered_by = %(me)s::int, answer = %(answer)s::text, answered_at = clock_timestamp()
     WHERE id = %(appeal_id)s::bigint AND answered_at IS NULL AND person_id <> %(me)s::int
    RETURNING id, person_id, skill_id),
noted AS (
    INSERT INTO events (kind, person_id, detail) SELECT 'appeal.answered', %(me)s::int, jsonb_build_object('appeal', id, 'person', person_id, 'skill_id', skill_id) FROM answered)
SELECT id, person_id, skill_id FROM answered;
