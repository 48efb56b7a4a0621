-- items: locked while a version is added.
SELECT id AS item_id FROM items WHERE id = %(item_id)s::bigint FOR NO KEY UPDATE;
