-- items: which of these there are.
SELECT id FROM items WHERE id = ANY (%(item_ids)s::bigint[]) AND NOT gold;
