-- items: those under a trace id, or an idempotency key, to be judged.
(SELECT i.id AS item_id, i.id::text AS place FROM items i
  WHERE %(trace_id)s::text IS NOT NULL AND hashtextextended(i.trace_id, 0) = hashtextextended(%(trace_id)s::text, 0)
   AND (%(customer_id)s::int IS NULL OR i.project_id IN (SELECT id FROM projects WHERE customer_id = %(customer_id)s::int)) AND i.id < %(high)s::bigint
  ORDER BY i.id DESC LIMIT %(limit)s::int)
UNION ALL
(SELECT i.id, i.id::text FROM items i
  WHERE %(trace_id)s::text IS NULL AND hashtextextended(i.idempotency_key, 0) = hashtextextended(%(key)s::text, 0)
   AND (%(customer_id)s::int IS NULL OR i.project_id IN (SELECT id FROM projects WHERE customer_id = %(customer_id)s::int)) AND i.id < %(high)s::bigint
  ORDER BY i.id DESC LIMIT %(limit)s::int);
