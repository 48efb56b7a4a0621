-- saved_views: none → saved under a name of its person's, or with other filters than before; its number, and so its address, stays.
WITH saved AS (
    INSERT INTO saved_views (person_id, name, shared, filters)
    SELECT me.id, %(name)s::text, %(shared)s::boolean, %(filters)s::jsonb FROM people me
     WHERE me.id = %(me)s::int AND (SELECT count(*) FROM saved_views v WHERE v.person_id = me.id AND v.name <> %(name)s::text) < %(most)s::int
        ON CONFLICT ON CONSTRAINT saved_views_name_once DO UPDATE SET shared = excluded.shared, filters = excluded.filters, saved_at = clock_timestamp()
    RETURNING id, person_id, name, shared, filters),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'view.saved', person_id, jsonb_build_object('view', id, 'name', name, 'shared', shared, 'filters', filters) FROM saved)
SELECT id FROM saved;
