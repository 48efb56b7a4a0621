-- projects: where their items are. Open tasks, held ones, what waits in partitions and what is settled are read from indexes alone.
SELECT p.id AS project_id,
       greatest(CASE WHEN p.cancelled_at IS NULL THEN open.n - waiting.n + passed.n - led.n - held.n ELSE 0 END, 0)::int AS pending,
       held.n::int AS leased,
       CASE WHEN p.cancelled_at IS NULL THEN waiting.n - passed.n ELSE 0 END::int AS blocked,
       led.n::int AS escalated,
       (outcomes.n - overturns.n - reopened.n)::int AS settled,
       storing.n::int AS not_durable,
       refused.n::int AS refused
  FROM projects p
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM tasks t WHERE t.open_in = p.id) open
 CROSS JOIN LATERAL (SELECT COALESCE(sum(n.last_no - n.promoted_no), 0) AS n FROM partitions n WHERE n.project_id = p.id AND n.promoted_no < n.last_no) waiting
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM tasks t WHERE t.stopped_in = p.id AND t.waits) passed   -- cancelled alone, before their turn
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM tasks t WHERE t.led_in = p.id) led
 CROSS JOIN LATERAL (
        SELECT count(DISTINCT a.task_id) AS n FROM assignments a JOIN tasks t ON t.id = a.task_id
         WHERE a.live_until > (SELECT clock_timestamp()) AND t.project_id = p.id AND t.led_in IS NULL AND t.kind <> 'gold') held
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM decisions d WHERE d.project_id = p.id AND d.outcome IS NOT NULL) outcomes
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM decisions d WHERE d.project_id = p.id AND d.supersedes IS NOT NULL) overturns
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM decisions d WHERE d.project_id = p.id AND d.supersedes IS NOT NULL AND d.outcome = 'reopen') reopened
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM items i WHERE i.not_durable_in = p.id) storing
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM dead_letters l WHERE l.project_id = p.id) refused
 WHERE p.id = ANY (%(project_ids)s::int[]);
