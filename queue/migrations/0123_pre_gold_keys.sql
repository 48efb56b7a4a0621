-- A gold's copy has a key that no item of its project has, and takes none away from the customer, who may send an item under that very key some day.
CREATE UNIQUE INDEX items_sent_key_once ON items (project_id, idempotency_key) WHERE NOT gold;
CREATE UNIQUE INDEX items_gold_key_once ON items (project_id, idempotency_key) WHERE gold;
ALTER TABLE items DROP CONSTRAINT items_key_once;
ALTER INDEX items_sent_key_once RENAME TO items_key_once;
