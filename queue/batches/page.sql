-- batches: a project's newest with anything in them: their rows, how far the last forecast found them, and when the last item was settled.
SELECT b.id, b.created_at, b.closed_at, i.n::int AS items, d.n::int AS refused, said.settled, said.state, said.miss_probability, said.at AS said_at, ended.at AS ended_at
  FROM (SELECT b.* FROM batches b WHERE b.project_id = %(project_id)s::int ORDER BY b.id DESC LIMIT 200) b
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM items WHERE batch_id = b.id AND NOT gold) i
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM dead_letters WHERE batch_id = b.id) d
  LEFT JOIN LATERAL (SELECT l.settled, l.state, l.miss_probability, l.at FROM forecast_log l WHERE l.project_id = b.project_id AND l.batch_id = b.id ORDER BY l.hour DESC LIMIT 1) said ON true
  LEFT JOIN LATERAL (SELECT max(e.last_at) AS at FROM forecast_ends e WHERE e.project_id = b.project_id AND e.batch_id = b.id) ended ON true
 WHERE i.n + d.n > 0
 ORDER BY b.id DESC LIMIT %(limit)s::int;
