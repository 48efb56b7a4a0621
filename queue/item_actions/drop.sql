-- item_actions: gathering, listed or acting → dropped. What was done stays done.
WITH moved AS (
    UPDATE item_actions a SET state = 'dropped', touched_at = clock_timestamp()
     WHERE a.id = %(action_id)s::bigint AND a.state IN ('gathering', 'listed', 'acting')
    RETURNING a.id, a.acted, a.members)
INSERT INTO events (kind, person_id, detail) SELECT 'item_action.dropped', %(me)s::int, jsonb_build_object('action', id, 'acted', acted, 'of', members) FROM moved;
