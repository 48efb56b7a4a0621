-- Who saw a copy of a gold saw a customer's data under a key that is nobody's: kept apart, so that no line tells the customer, or whoever they ask, which item is gold.
ALTER TABLE access_events ADD COLUMN gold boolean NOT NULL DEFAULT false;
CREATE OR REPLACE FUNCTION whose_data() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT p.customer_id, i.gold INTO NEW.customer_id, NEW.gold FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = NEW.item_id;
    RETURN NEW;
END $$;
ALTER TABLE access_events DISABLE TRIGGER append_only;
UPDATE access_events a SET gold = true FROM items i WHERE i.id = a.item_id AND i.gold;
ALTER TABLE access_events ENABLE TRIGGER append_only;
CREATE INDEX access_events_copies ON access_events (customer_id, at) WHERE gold;
