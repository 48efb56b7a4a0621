-- decisions: the items that somebody decided lately, to be judged; before a moment, in microseconds, and within it before a decision. First what they hold.
(SELECT a.item_id, %(below)s::bigint || '~' || %(high)s::bigint AS place FROM assignments a
  WHERE %(first)s::boolean AND %(reason)s::text IS NULL AND a.person_id = %(reviewer_id)s::int AND a.ended_at IS NULL)
UNION ALL
(SELECT CASE WHEN COALESCE(%(project_id)s::int, d.project_id) = d.project_id AND COALESCE(%(reason)s::text, d.reason_code) = d.reason_code THEN d.item_id END,
        (extract(epoch FROM d.created_at) * 1000000)::bigint || '~' || d.id
   FROM decisions d
  WHERE d.person_id = %(reviewer_id)s::int AND (d.created_at, d.id) < (timestamptz 'epoch' + %(below)s::bigint * interval '1 microsecond', %(high)s::bigint)
  ORDER BY d.created_at DESC, d.id DESC LIMIT %(limit)s::int);
