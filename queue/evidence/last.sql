-- evidence: an item's newest version, published or not.
SELECT item_id, version FROM evidence WHERE item_id = %(item_id)s::bigint ORDER BY version DESC LIMIT 1;
