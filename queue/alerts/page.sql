-- alerts: a project's, newest first, and how many of each one's notices are done, wait, or failed for good.
SELECT a.id, a.project_id, a.at, a.state, a.was, a.deadline, a.miss_probability, a.eta, a.eta_low, a.eta_high, a.open_items, a.skill, a.experts, a.items,
       n.done::int AS done, n.pending::int AS pending, n.dead::int AS dead
  FROM alerts a
 CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE o.state = 'done') AS done, count(*) FILTER (WHERE o.state IN ('pending', 'leased')) AS pending,
               count(*) FILTER (WHERE o.state = 'dead') AS dead
          FROM notices t JOIN outbox o ON o.notice_id = t.id WHERE t.alert_id = a.id) n
 WHERE a.project_id = %(project_id)s::int ORDER BY a.no DESC LIMIT %(limit)s::int;
