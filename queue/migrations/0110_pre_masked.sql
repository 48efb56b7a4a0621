-- Masked fields: a reveal names the field and what for; and whose data it was that somebody saw.

ALTER TABLE access_events ADD COLUMN field text;      -- masked, and revealed for the purpose; null: what a part shows without
ALTER TABLE access_events ADD COLUMN customer_id int REFERENCES customers;

-- Filled in by the server, so that no statement can forget whose it is.
CREATE FUNCTION whose_data() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT p.customer_id INTO NEW.customer_id FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = NEW.item_id;
    RETURN NEW;
END $$;
CREATE TRIGGER whose BEFORE INSERT ON access_events FOR EACH ROW EXECUTE FUNCTION whose_data();

ALTER TABLE access_events DISABLE TRIGGER append_only;
UPDATE access_events a SET customer_id = p.customer_id FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = a.item_id;
ALTER TABLE access_events ENABLE TRIGGER append_only;

DROP INDEX access_events_person;
CREATE INDEX access_events_person   ON access_events (person_id, at, id);
CREATE INDEX access_events_customer ON access_events (customer_id, at, id);
CREATE INDEX access_events_sight    ON access_events (customer_id, person_id, at, id);

-- What a part shows under a project's rules: its masks, whether it is withheld for want of a good purpose, and what is revealed in spite of them.
CREATE FUNCTION mask_of(rules jsonb, n smallint, name text, reveal text[], purpose text, OUT masked text[], OUT purposes text[], OUT withheld boolean, OUT revealed text[])
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE fits boolean;
BEGIN
    masked   := ARRAY(SELECT jsonb_array_elements_text(COALESCE(rules -> 'masked', '[]')));
    purposes := ARRAY(SELECT p ->> 'code' FROM jsonb_array_elements(COALESCE(rules -> 'purposes', '[]')) p);
    revealed := CASE WHEN n = 0 THEN reveal WHEN name = ANY (masked) THEN ARRAY[name] ELSE '{}' END;
    fits     := revealed <@ masked AND COALESCE(purpose = ANY (purposes), false);
    withheld := cardinality(revealed) > 0 AND NOT fits;
    IF withheld THEN revealed := '{}'; END IF;
END $$;

GRANT UPDATE (title) ON evidence TO claimcheck_web;   -- an item that was called by what is masked now is called by its key
