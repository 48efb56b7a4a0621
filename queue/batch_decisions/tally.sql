-- batch_draws: how many places were drawn, and what they came to, as kept.
SELECT count(*)::int AS drawn, count(l.decision_id)::int AS looked, (count(*) FILTER (WHERE l.differs))::int AS wrong,
       (count(*) FILTER (WHERE l.n IS NOT NULL AND l.decision_id IS NULL))::int AS void
  FROM batch_draws d LEFT JOIN batch_looks l ON l.batch_id = d.batch_id AND l.n = d.n
 WHERE d.batch_id = %(batch_id)s::bigint;
