-- items: groups of alike ones that wait, among the next `window` open tasks of a project. No payload, and no more than those rows, is read.
WITH seen AS MATERIALIZED (
    SELECT t.id, t.item_id, t.created_at,
           t.kind = 'review' AND t.wanted = 1 AND t.held_for IS NULL AND t.meant_for IS NULL AND NOT t.waits AND NOT t.paused AND cardinality(t.seen_by) = 0 AND NOT %(me)s::int = ANY (t.closed_to) AS free
      FROM tasks t WHERE t.open_in = %(project_id)s::int AND t.id > %(after)s::bigint ORDER BY t.id LIMIT %(window)s::int),
free AS (
    SELECT seen.created_at, i.alike FROM items i JOIN seen ON seen.item_id = i.id
     WHERE seen.free AND i.id = ANY (ARRAY(SELECT item_id FROM seen WHERE free)) AND i.alike IS NOT NULL),
grouped AS (
    SELECT alike, count(*)::int AS items, min(created_at) AS oldest FROM free GROUP BY alike)
SELECT g.alike, COALESCE(g.items, 0) AS items, g.oldest, bound.looked, bound.last
  FROM (SELECT count(*)::int AS looked, COALESCE(max(id), 0) AS last FROM seen) bound LEFT JOIN grouped g ON true
 ORDER BY items DESC, g.oldest LIMIT 100;
