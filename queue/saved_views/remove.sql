-- saved_views: saved → none, by whoever saved it.
WITH gone AS (
    DELETE FROM saved_views WHERE id = %(view_id)s::int AND person_id = %(me)s::int RETURNING id, person_id, name)
INSERT INTO events (kind, person_id, detail) SELECT 'view.removed', person_id, jsonb_build_object('view', id, 'name', name) FROM gone;
