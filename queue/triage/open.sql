-- tasks: some open ones in the order in which they came to their queue, to be judged: of a queue, of a project, of a customer's projects, of all, or only what leads have before them.
(SELECT t.item_id AS item_id, t.id::text AS place FROM tasks t
  WHERE %(newest)s::boolean AND %(among)s::text = 'queue' AND t.open_queue = %(queue_id)s::int AND t.id > %(low)s::bigint AND t.id < %(high)s::bigint
  ORDER BY t.id DESC LIMIT %(limit)s::int)
UNION ALL
(SELECT t.item_id, t.id::text FROM tasks t
  WHERE NOT %(newest)s::boolean AND %(among)s::text = 'queue' AND t.open_queue = %(queue_id)s::int AND t.id > %(low)s::bigint AND t.id < %(high)s::bigint
  ORDER BY t.id LIMIT %(limit)s::int)
UNION ALL
(SELECT t.item_id, t.id::text FROM tasks t
  WHERE %(newest)s::boolean AND %(among)s::text = 'project' AND t.open_in = %(project_id)s::int AND t.id > %(low)s::bigint AND t.id < %(high)s::bigint
  ORDER BY t.id DESC LIMIT %(limit)s::int)
UNION ALL
(SELECT t.item_id, t.id::text FROM tasks t
  WHERE NOT %(newest)s::boolean AND %(among)s::text = 'project' AND t.open_in = %(project_id)s::int AND t.id > %(low)s::bigint AND t.id < %(high)s::bigint
  ORDER BY t.id LIMIT %(limit)s::int)
UNION ALL
(SELECT t.item_id, t.id::text FROM tasks t
  WHERE %(newest)s::boolean AND %(among)s::text = 'all' AND t.open_id > %(low)s::bigint AND t.open_id < %(high)s::bigint
  ORDER BY t.open_id DESC LIMIT %(limit)s::int)
UNION ALL
(SELECT t.item_id, t.id::text FROM tasks t
  WHERE NOT %(newest)s::boolean AND %(among)s::text = 'all' AND t.open_id > %(low)s::bigint AND t.open_id < %(high)s::bigint
  ORDER BY t.open_id LIMIT %(limit)s::int)
UNION ALL
(SELECT t.item_id, t.id::text FROM tasks t
  WHERE %(newest)s::boolean AND %(among)s::text = 'led' AND t.led_id > %(low)s::bigint AND t.led_id < %(high)s::bigint
  ORDER BY t.led_id DESC LIMIT %(limit)s::int)
UNION ALL
(SELECT t.item_id, t.id::text FROM tasks t
  WHERE NOT %(newest)s::boolean AND %(among)s::text = 'led' AND t.led_id > %(low)s::bigint AND t.led_id < %(high)s::bigint
  ORDER BY t.led_id LIMIT %(limit)s::int)
UNION ALL
(SELECT t.item_id, t.id::text
   FROM projects p CROSS JOIN LATERAL (
         (SELECT t.item_id, t.id FROM tasks t WHERE %(newest)s::boolean AND t.open_in = p.id AND t.id > %(low)s::bigint AND t.id < %(high)s::bigint
           ORDER BY t.id DESC LIMIT %(limit)s::int)
          UNION ALL
         (SELECT t.item_id, t.id FROM tasks t WHERE NOT %(newest)s::boolean AND t.open_in = p.id AND t.id > %(low)s::bigint AND t.id < %(high)s::bigint
           ORDER BY t.id LIMIT %(limit)s::int)) t
  WHERE %(among)s::text = 'theirs' AND p.customer_id = %(customer_id)s::int
  ORDER BY CASE WHEN %(newest)s::boolean THEN -t.id ELSE t.id END LIMIT %(limit)s::int);
