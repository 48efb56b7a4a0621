-- An item that is looked at again says what changed while it waited for a second pair of eyes: its evidence, or what its project asks or shows of it.
CREATE OR REPLACE FUNCTION void_approval() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE held_by int; was_overturn boolean;
BEGIN
    SELECT e.held_by, e.was_overturn INTO held_by, was_overturn FROM end_approval(OLD, 0) e;
    IF NOT was_overturn THEN
        PERFORM raise_task(NEW, 'review', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                           ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = OLD.item_id AND d.assignment_id IS NOT NULL),
                           CASE WHEN NEW.evidence_version <> OLD.evidence_version THEN 'evidence_changed' ELSE 'rules_changed' END, 0)
           FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = OLD.item_id;
    END IF;
    NEW.ended_as := 'voided'; NEW.ended_at := clock_timestamp(); NEW.seen_by := array_remove(NEW.seen_by, held_by);
    NEW.evidence_version := OLD.evidence_version; NEW.shown_version := OLD.shown_version; NEW.evidence_hash := OLD.evidence_hash;
    RETURN NEW;
END $$;
