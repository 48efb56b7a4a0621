-- forecasts: a project, or a batch of it: its items, those that are not stored yet, its deadline, and how many looks the last 500 settled items took.
SELECT p.id AS project_id, p.name AS project, %(batch_id)s::bigint AS batch_id, p.version, p.skill_id, s.name AS skill, p.price_minor, p.currency, p.deadline,
       p.paused_at, p.cancelled_at, clock_timestamp() AS now, n.items::int AS items, storing.n::int AS storing,
       CASE WHEN p.cancelled_at IS NOT NULL AND %(batch_id)s::bigint IS NOT NULL THEN
                 (SELECT count(DISTINCT d.item_id) FROM items i JOIN decisions d ON d.item_id = i.id AND d.outcome IS NOT NULL WHERE i.batch_id = %(batch_id)s::bigint) END::int AS kept,
       CASE WHEN lately.items >= 20 THEN lately.looks / lately.items END AS looks_an_item
  FROM projects p JOIN skills s ON s.id = p.skill_id
 CROSS JOIN LATERAL (
        SELECT CASE WHEN %(batch_id)s::bigint IS NULL
                    THEN (SELECT count(*) FROM decisions d WHERE d.project_id = p.id AND d.outcome IS NOT NULL)
                       - (SELECT count(*) FROM decisions d WHERE d.project_id = p.id AND d.supersedes IS NOT NULL)
                       - (SELECT count(*) FROM decisions d WHERE d.project_id = p.id AND d.supersedes IS NOT NULL AND d.outcome = 'reopen')
                       + (SELECT count(*) FROM tasks t WHERE t.open_in = p.id)
                       + (SELECT count(*) FROM items i WHERE i.not_durable_in = p.id)
                    ELSE (SELECT count(*) FROM items i WHERE i.batch_id = %(batch_id)s::bigint AND NOT i.gold) END AS items) n
 CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM items i WHERE i.not_durable_in = p.id AND (%(batch_id)s::bigint IS NULL OR i.batch_id = %(batch_id)s::bigint)) storing
 CROSS JOIN LATERAL (
        SELECT count(*)::float8 AS items, sum(l.n)::float8 AS looks
          FROM (SELECT d.item_id FROM decisions d WHERE d.project_id = p.id AND d.outcome IS NOT NULL ORDER BY d.id DESC LIMIT 500) o
         CROSS JOIN LATERAL (SELECT count(*) AS n FROM decisions l WHERE l.item_id = o.item_id AND l.assignment_id IS NOT NULL) l) lately
 WHERE p.id = %(project_id)s::int;
