-- messages: those beyond an id, each with where it is now and the records that say how it came there.
SELECT m.id, m.idempotency_key, w.message_id IS NOT NULL AS waiting, i.id AS item_id, i.queue, letter.id AS dead_letter_id, COALESCE(said.records, '{}') AS records,
       EXISTS (SELECT FROM decisions d WHERE d.item_id = i.id AND d.reason_code = 'auto_zero_variance') AS resolved
  FROM messages m
  LEFT JOIN inbox w ON w.message_id = m.id
  LEFT JOIN items i ON i.message_id = m.id
  LEFT JOIN LATERAL (SELECT array_agg(r.id ORDER BY r.id) AS records, max(r.dead_letter_id) FILTER (WHERE r.decision = 'refused') AS letter
                       FROM pipeline_records r WHERE r.message_id = m.id) said ON true
  LEFT JOIN dead_letters letter ON letter.id = said.letter AND letter.message_id = m.id
 WHERE m.id > %(after)s::bigint ORDER BY m.id LIMIT %(limit)s::int;
