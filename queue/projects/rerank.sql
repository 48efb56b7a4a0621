-- tasks: open ones go to their queue's lane and take new ranks there, in their old order; at most 500 at a time, since a claim walks past locked rows.
WITH page AS MATERIALIZED (
    SELECT t.id FROM tasks t WHERE t.open_in = %(project_id)s::int AND t.id > %(after)s::bigint
       AND (%(only)s::bigint[] IS NULL OR t.id = ANY (%(only)s::bigint[]))
     ORDER BY t.id LIMIT 500),
locked AS MATERIALIZED (
    SELECT t.id, t.project_id, t.created_at, q.lane_id,
           (item_priority(i) + CASE WHEN t.kind IN ('escalation', 'adjudication', 'approval') THEN 10 ELSE 0 END)::smallint AS priority
      FROM tasks t JOIN queues q ON q.id = t.queue_id JOIN items i ON i.id = t.item_id
     WHERE t.id = ANY (ARRAY(SELECT id FROM page)) FOR NO KEY UPDATE OF t SKIP LOCKED),
numbered AS MATERIALIZED (
    SELECT locked.*, row_number() OVER (PARTITION BY lane_id, priority ORDER BY id) AS n, count(*) OVER (PARTITION BY lane_id, priority) AS of FROM locked),
clocks AS MATERIALIZED (
    SELECT g.lane_id, g.priority, c.last, c.step
      FROM (SELECT DISTINCT project_id, lane_id, priority, of FROM numbered ORDER BY lane_id, priority) g
     CROSS JOIN LATERAL advance_clock(g.project_id, g.lane_id, g.priority, g.of::int) c),
moved AS (
    UPDATE tasks t SET lane_id = n.lane_id, priority = n.priority, rank = c.last - (n.of - n.n) * c.step, since = n.created_at - n.priority * interval '10 minutes'
      FROM numbered n JOIN clocks c USING (lane_id, priority) WHERE t.id = n.id)
SELECT (SELECT count(*)::int FROM locked) AS touched, (SELECT max(id) FROM page) AS last,
       ARRAY(SELECT id FROM page EXCEPT SELECT id FROM locked) AS passed_over;
