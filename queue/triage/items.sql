-- items: some in the order of their age, to be judged. Each of the branches walks one index from its end and stops.
(SELECT i.id AS item_id, i.id::text AS place FROM items i
  WHERE %(newest)s::boolean AND %(project_id)s::int IS NOT NULL AND i.project_id = %(project_id)s::int AND i.id > %(low)s::bigint AND i.id < %(high)s::bigint
  ORDER BY i.id DESC LIMIT %(limit)s::int)
UNION ALL
(SELECT i.id, i.id::text FROM items i
  WHERE NOT %(newest)s::boolean AND %(project_id)s::int IS NOT NULL AND i.project_id = %(project_id)s::int AND i.id > %(low)s::bigint AND i.id < %(high)s::bigint
  ORDER BY i.id LIMIT %(limit)s::int)
UNION ALL
(SELECT i.id, i.id::text FROM items i
  WHERE %(newest)s::boolean AND %(project_id)s::int IS NULL AND %(customer_id)s::int IS NULL AND i.id > %(low)s::bigint AND i.id < %(high)s::bigint
  ORDER BY i.id DESC LIMIT %(limit)s::int)
UNION ALL
(SELECT i.id, i.id::text FROM items i
  WHERE NOT %(newest)s::boolean AND %(project_id)s::int IS NULL AND %(customer_id)s::int IS NULL AND i.id > %(low)s::bigint AND i.id < %(high)s::bigint
  ORDER BY i.id LIMIT %(limit)s::int)
UNION ALL
(SELECT i.id, i.id::text
   FROM projects p CROSS JOIN LATERAL (
         (SELECT i.id FROM items i WHERE %(newest)s::boolean AND i.project_id = p.id AND i.id > %(low)s::bigint AND i.id < %(high)s::bigint ORDER BY i.id DESC LIMIT %(limit)s::int)
          UNION ALL
         (SELECT i.id FROM items i WHERE NOT %(newest)s::boolean AND i.project_id = p.id AND i.id > %(low)s::bigint AND i.id < %(high)s::bigint ORDER BY i.id LIMIT %(limit)s::int)) i
  WHERE %(project_id)s::int IS NULL AND %(customer_id)s::int IS NOT NULL AND p.customer_id = %(customer_id)s::int
  ORDER BY CASE WHEN %(newest)s::boolean THEN -i.id ELSE i.id END LIMIT %(limit)s::int);
