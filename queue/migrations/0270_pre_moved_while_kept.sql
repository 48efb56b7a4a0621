-- An item that is moved to a queue where whoever it is kept for may not work is kept for nobody any more.
CREATE OR REPLACE FUNCTION move_item(a item_actions, i items, t tasks) RETURNS text LANGUAGE plpgsql AS $$
DECLARE q queues; halted boolean; still_theirs boolean;
BEGIN
    SELECT x.* INTO q FROM queues x WHERE x.project_id = i.project_id AND x.name = a.what ->> 'queue';
    IF q.id IS NULL THEN RETURN format('its project has no queue %s', a.what ->> 'queue'); END IF;
    IF t.kind NOT IN ('review', 'relabel') THEN RETURN 'leads have it: send it back first'; END IF;
    IF COALESCE(t.queue_id = q.id, i.queue = q.name) THEN RETURN 'it is in that queue already'; END IF;
    i.queue := q.name;
    UPDATE items SET queue = q.name, alike = CASE WHEN alike IS NOT NULL THEN alike_of(i) END WHERE id = i.id;
    SELECT p.paused_at IS NOT NULL OR q.paused_at IS NOT NULL INTO halted FROM projects p WHERE p.id = i.project_id;
    still_theirs := EXISTS (SELECT FROM people p CROSS JOIN LATERAL lanes_of(p.id, p.role) l WHERE p.id = t.meant_for AND l.id = q.lane_id);
    UPDATE tasks SET queue_id = q.id, lane_id = q.lane_id, paused = halted, rank = (advance_clock(i.project_id, q.lane_id, t.priority, 1)).last,
                     meant_for = CASE WHEN still_theirs THEN meant_for END, meant_until = CASE WHEN still_theirs THEN meant_until END
     WHERE id = t.id;
    PERFORM note_action(a, 'item.moved', i, t, jsonb_build_object('from', (SELECT name FROM queues WHERE id = t.queue_id), 'queue', q.name));
    IF t.meant_for IS NOT NULL AND NOT still_theirs THEN PERFORM note_action(a, 'item.unassigned', i, t, jsonb_build_object('to', t.meant_for)); END IF;
    RETURN NULL;
END $$;

-- The web begins actions, lets them go on and drops them; what their lists come to is the workers'.
REVOKE UPDATE (looked_to, members) ON item_actions FROM claimcheck_web;
