-- messages: how far these are: in the inbox still, or items, or durable ones.
SELECT count(w.message_id)::int AS waiting, count(i.id)::int AS items, count(i.id) FILTER (WHERE i.evidence_version > 0)::int AS durable
  FROM unnest(%(message_ids)s::bigint[]) m(id) LEFT JOIN inbox w ON w.message_id = m.id LEFT JOIN items i ON i.message_id = m.id;
