-- bulk_overturn_members: the list, a page at a time, and what came of each; the page is found first. What waits comes after what was seen to.
WITH listed AS MATERIALIZED (
    (SELECT n FROM bulk_overturn_members
      WHERE COALESCE(%(came_to)s::text, 'waits') = 'waits' AND bulk_id = %(bulk_id)s::bigint
        AND n > CASE WHEN %(came_to)s::text IS NULL THEN %(after)s::int
                     ELSE greatest(%(after)s::int, (SELECT b.reached FROM bulk_overturns b WHERE b.id = %(bulk_id)s::bigint)) END
      ORDER BY n LIMIT %(limit)s::int)
    UNION ALL
    (SELECT n FROM bulk_overturn_ends WHERE came_to = %(came_to)s::text AND bulk_id = %(bulk_id)s::bigint AND n > %(after)s::int ORDER BY n LIMIT %(limit)s::int))
SELECT m.n, m.item_id, i.idempotency_key, COALESCE(v.title, '') AS title, m.decision_id, d.outcome, d.answer, who.name AS decided_by, e.came_to, e.why, e.decision_id AS overturned_by
  FROM listed l JOIN bulk_overturn_members m ON m.bulk_id = %(bulk_id)s::bigint AND m.n = l.n
  JOIN items i ON i.id = m.item_id JOIN decisions d ON d.id = m.decision_id JOIN people who ON who.id = d.person_id
  LEFT JOIN bulk_overturn_ends e ON e.bulk_id = m.bulk_id AND e.n = m.n LEFT JOIN evidence v ON v.item_id = i.id AND v.version = i.evidence_version
 ORDER BY m.n;
