-- forecasts: what is open of a project by skill, leads' tasks apart: its tasks, the looks they want and have; of a batch its own, and beside them what stands before it.
WITH asked AS MATERIALIZED (SELECT max(i.id) AS last FROM items i WHERE i.batch_id = %(batch_id)s::bigint),
open AS MATERIALIZED (
    SELECT t.lane_id, t.led_in IS NOT NULL AS led, t.wanted, cardinality(t.votes) AS had,
           %(batch_id)s::bigint IS NULL OR (SELECT i.batch_id FROM items i WHERE i.id = t.item_id) = %(batch_id)s::bigint AS own
      FROM tasks t
     WHERE t.open_in = %(project_id)s::int AND (%(batch_id)s::bigint IS NULL OR t.item_id <= (SELECT last FROM asked)))
SELECT l.skill_id, s.name AS skill, o.led,
       count(*) FILTER (WHERE o.own)::int AS items, COALESCE(sum(o.wanted) FILTER (WHERE o.own), 0)::int AS wanted, COALESCE(sum(o.had) FILTER (WHERE o.own), 0)::int AS had,
       count(*) FILTER (WHERE NOT o.own)::int AS before_items, COALESCE(sum(o.wanted) FILTER (WHERE NOT o.own), 0)::int AS before_wanted,
       COALESCE(sum(o.had) FILTER (WHERE NOT o.own), 0)::int AS before_had
  FROM open o JOIN lanes l ON l.id = o.lane_id JOIN skills s ON s.id = l.skill_id
 GROUP BY 1, 2, 3 ORDER BY o.led, s.name;
