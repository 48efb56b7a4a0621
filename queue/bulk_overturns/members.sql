-- bulk_overturn_members: the list, a page at a time, and what came of each.
WITH page AS MATERIALIZED (
    SELECT m.n, m.item_id, m.decision_id, e.came_to, e.why, e.decision_id AS overturned_by
      FROM bulk_overturn_members m LEFT JOIN bulk_overturn_ends e ON e.bulk_id = m.bulk_id AND e.n = m.n
     WHERE m.bulk_id = %(bulk_id)s::bigint AND m.n > %(after)s::int AND (%(came_to)s::text IS NULL OR COALESCE(e.came_to, 'waits') = %(came_to)s::text)
     ORDER BY m.n LIMIT %(limit)s::int)
SELECT page.n, page.item_id, i.idempotency_key, COALESCE(v.title, '') AS title, page.decision_id, d.outcome, d.answer, who.name AS decided_by, page.came_to, page.why, page.overturned_by
  FROM page JOIN items i ON i.id = page.item_id JOIN decisions d ON d.id = page.decision_id JOIN people who ON who.id = d.person_id
  LEFT JOIN evidence v ON v.item_id = i.id AND v.version = i.evidence_version
 ORDER BY page.n;
