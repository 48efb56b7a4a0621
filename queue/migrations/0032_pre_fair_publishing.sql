-- The first items of each project that wait for the store are found at once, however many others wait.
DROP INDEX items_not_durable;
CREATE INDEX items_not_durable ON items (not_durable_in, id) WHERE not_durable_in IS NOT NULL;
