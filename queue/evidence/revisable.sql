-- items: one that a person may send new evidence for: its customer, or a lead.
SELECT i.id AS item_id, i.project_id, i.idempotency_key, p.cancelled_at IS NOT NULL AS cancelled, v.rules ->> 'title' AS title_field, COALESCE(v.rules -> 'masked', '[]') AS masked,
       COALESCE(v.rules -> 'facets', '[]') AS facets
  FROM people me CROSS JOIN items i JOIN projects p ON p.id = i.project_id JOIN project_versions v ON v.project_id = p.id AND v.version = p.version
 WHERE me.id = %(person_id)s::int AND me.disabled_at IS NULL AND (me.role = 'lead' OR me.role = 'customer' AND me.customer_id = p.customer_id)
   AND i.id = %(item_id)s::bigint AND NOT i.gold;
