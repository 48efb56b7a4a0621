-- item_actions: listed → acting, by a lead who saw how long the list is; → done where it is empty.
WITH moved AS (
    UPDATE item_actions a SET state = CASE WHEN a.members = 0 THEN 'done' ELSE 'acting' END, touched_at = clock_timestamp()
     WHERE a.id = %(action_id)s::bigint AND a.state = 'listed' AND a.members = %(members)s::int
    RETURNING a.id, a.members)
INSERT INTO events (kind, person_id, detail) SELECT 'item_action.going_on', %(me)s::int, jsonb_build_object('action', id, 'of', members) FROM moved;
