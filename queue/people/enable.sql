-- people: disabled → enabled. Sessions and tokens stay ended.
WITH person AS (
    UPDATE people SET disabled_at = NULL WHERE id = %(person_id)s::int AND disabled_at IS NOT NULL RETURNING id),
noted AS (
    INSERT INTO events (kind, person_id, detail) SELECT 'person.enabled', %(by)s::int, jsonb_build_object('person', id) FROM person)
SELECT id AS person_id FROM person;
