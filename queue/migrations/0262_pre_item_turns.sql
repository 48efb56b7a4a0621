-- What an item's outcomes bring about comes in their order for each effect, in an item without a partition too: a later one waits for its turn.

-- An earlier outcome of the item whose effect is on its way, or dead: locked, so that it is not done unseen meanwhile. What was undone never happens.
CREATE FUNCTION give_item_turn() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM FROM decisions mine JOIN decisions d ON d.item_id = mine.item_id AND d.id < mine.id AND d.outcome IS NOT NULL
            JOIN outbox o ON o.decision_id = d.id AND o.effect_id = NEW.effect_id
      WHERE mine.id = NEW.decision_id AND o.state IN ('pending', 'leased', 'dead') AND NOT o.undone ORDER BY o.id FOR SHARE OF o;
    NEW.turn := NOT FOUND;
    RETURN NEW;
END $$;
CREATE TRIGGER give_item_turn BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.partition_id IS NULL AND NEW.decision_id IS NOT NULL) EXECUTE FUNCTION give_item_turn();

-- One ended: the next of its item has its turn.
CREATE FUNCTION pass_item_turn() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE outbox n SET turn = true
     WHERE NOT n.turn AND n.id = (
           SELECT o.id FROM decisions mine JOIN decisions d ON d.item_id = mine.item_id AND d.id > mine.id AND d.outcome IS NOT NULL
             JOIN outbox o ON o.decision_id = d.id AND o.effect_id = NEW.effect_id
            WHERE mine.id = NEW.decision_id AND o.state IN ('pending', 'leased', 'dead') AND NOT o.undone ORDER BY d.id LIMIT 1);
    RETURN NULL;
END $$;
CREATE TRIGGER pass_item_turn AFTER UPDATE OF state ON outbox FOR EACH ROW
    WHEN (NEW.partition_id IS NULL AND NEW.decision_id IS NOT NULL AND NEW.turn AND NEW.state IN ('done', 'skipped') AND OLD.state <> NEW.state) EXECUTE FUNCTION pass_item_turn();
