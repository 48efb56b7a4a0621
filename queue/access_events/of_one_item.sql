-- access_events: who saw one item of a customer, newest first.
WITH seen AS MATERIALIZED (
    SELECT * FROM access_events a
     WHERE a.item_id = %(item_id)s::bigint AND a.customer_id = %(customer_id)s::int AND (%(copies)s::boolean OR NOT a.gold) AND a.id < %(before)s::bigint
       AND (%(person_id)s::int IS NULL OR a.person_id = %(person_id)s::int) AND a.at >= %(since)s::timestamptz AND a.at < %(until)s::timestamptz
     ORDER BY a.id DESC LIMIT %(limit)s::int)
SELECT a.id, a.at, a.person_id, p.name, p.pseudonym, p.role, a.customer_id, i.project_id, project.name AS project, a.item_id, i.idempotency_key, a.evidence_version,
       a.part, a.field, a.purpose, EXISTS (SELECT FROM decisions d WHERE d.item_id = a.item_id AND d.person_id = a.person_id) AS decided, clock_timestamp() AS server_now
  FROM seen a JOIN people p ON p.id = a.person_id JOIN items i ON i.id = a.item_id JOIN projects project ON project.id = i.project_id
 ORDER BY a.id DESC;
