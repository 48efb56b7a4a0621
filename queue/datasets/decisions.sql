-- decisions: a page of a project's items, each with its looks and outcomes up to a cut; never gold's copies. An item without any gives one row of nulls.
WITH page AS MATERIALIZED (
    SELECT i.id, i.idempotency_key FROM items i
     WHERE i.project_id = %(project_id)s::int AND i.id > %(after)s::bigint AND NOT i.gold
     ORDER BY i.id LIMIT %(limit)s::int)
SELECT page.id AS item_id, page.idempotency_key, d.id, d.task_id, d.assignment_id IS NOT NULL AS look, d.person_id,
       (SELECT who.pseudonym FROM people who WHERE who.id = d.person_id) AS by, d.verdict, d.answer, d.outcome,
       d.supersedes, d.project_version, d.evidence_version, d.evidence_hash, d.reason_code, d.note, d.created_at AS at
  FROM page LEFT JOIN LATERAL (SELECT * FROM decisions d WHERE d.item_id = page.id AND d.id <= %(up_to)s::bigint OFFSET 0) d ON true   -- from the item to its decisions, whatever a plan thinks
 ORDER BY page.id, d.id;
