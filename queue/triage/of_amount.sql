-- messages: the items whose amount lies in a band, whatever its sign, the largest first, to be judged.
SELECT i.id AS item_id, trim_scale(abs(m.variance_amount))::text || '~' || m.id AS place
  FROM (SELECT m.id, m.variance_amount FROM messages m
         WHERE m.project_id = %(project_id)s::int AND abs(m.variance_amount) >= %(least)s::numeric AND abs(m.variance_amount) <= %(most)s::numeric
           AND (abs(m.variance_amount), m.id) < (%(below)s::numeric, %(high)s::bigint)
         ORDER BY abs(m.variance_amount) DESC, m.id DESC LIMIT %(limit)s::int) m
  LEFT JOIN items i ON i.message_id = m.id
 ORDER BY abs(m.variance_amount) DESC, m.id DESC;
