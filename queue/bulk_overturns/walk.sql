-- decisions: outcomes in the order of one index, the newest first, below a place, to be judged; each place in microseconds and the number of a decision.
SELECT w.outcome_id, (extract(epoch FROM w.at) * 1000000)::bigint AS at, w.place
  FROM walk_outcomes(%(project_id)s::int, %(reviewer_id)s::int, %(reason)s::text, COALESCE(%(since)s::timestamptz, 'epoch'), COALESCE(%(until)s::timestamptz, 'infinity'),
                     timestamptz 'epoch' + %(at)s::bigint * interval '1 microsecond', %(place)s::bigint, %(limit)s::int) w;
