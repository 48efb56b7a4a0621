-- Where independent looks have begun an item is kept for nobody: whoever tried one after the other would learn who had it.
CREATE OR REPLACE FUNCTION assign_item(a item_actions, i items, t tasks) RETURNS text LANGUAGE plpgsql AS $$
DECLARE who people; until timestamptz := (a.what ->> 'until')::timestamptz;
BEGIN
    IF a.what ->> 'to' IS NULL THEN
        IF t.meant_for IS NULL THEN RETURN 'it is kept for nobody'; END IF;
        UPDATE tasks SET meant_for = NULL, meant_until = NULL WHERE id = t.id;
        PERFORM note_action(a, 'item.unassigned', i, t, '{}');
        RETURN NULL;
    END IF;
    SELECT p.* INTO who FROM people p WHERE p.id = (a.what ->> 'to')::int;
    IF t.state NOT IN ('pending', 'blocked', 'paused', 'held') THEN RETURN 'somebody holds it'; END IF;
    IF t.wanted > 1 AND cardinality(t.seen_by) > 0 THEN RETURN 'somebody looks at it or has: whom it can still be kept for would tell who'; END IF;
    IF who.disabled_at IS NOT NULL OR who.id = ANY (t.seen_by || t.barred) OR NOT EXISTS (SELECT FROM lanes_of(who.id, who.role) l WHERE l.id = t.lane_id) THEN
        RETURN format('%s may not look at it', who.name);              -- not which of these: earlier looks are blind
    END IF;
    IF (SELECT count(*) FROM tasks x WHERE x.meant_for = who.id AND x.meant_until > clock_timestamp() AND x.id <> t.id) >= 100 THEN
        RETURN format('100 are kept for %s already', who.name);
    END IF;
    UPDATE tasks SET meant_for = who.id, meant_until = until WHERE id = t.id;
    UPDATE people SET meant_until = until WHERE id = who.id AND (meant_until IS NULL OR meant_until < until);
    PERFORM note_action(a, 'item.assigned', i, t, jsonb_build_object('to', who.id, 'until', until));
    RETURN NULL;
END $$;
