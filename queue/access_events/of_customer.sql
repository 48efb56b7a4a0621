-- access_events: who saw a customer's data, newest first.
WITH seen AS MATERIALIZED (
    SELECT * FROM access_events a
     WHERE a.customer_id = %(customer_id)s::int AND (%(copies)s::boolean OR NOT a.gold) AND a.at >= %(since)s::timestamptz AND a.at < %(until)s::timestamptz
       AND (a.at, a.id) < (COALESCE((SELECT b.at FROM access_events b WHERE b.id = %(before)s::bigint), 'infinity'), %(before)s::bigint)
     ORDER BY a.at DESC, a.id DESC LIMIT %(limit)s::int)
SELECT a.id, a.at, a.person_id, p.name, p.pseudonym, p.role, a.customer_id, i.project_id, project.name AS project, a.item_id, i.idempotency_key, a.evidence_version,
       a.part, a.field, a.purpose, EXISTS (SELECT FROM decisions d WHERE d.item_id = a.item_id AND d.person_id = a.person_id) AS decided, clock_timestamp() AS server_now
  FROM seen a JOIN people p ON p.id = a.person_id JOIN items i ON i.id = a.item_id JOIN projects project ON project.id = i.project_id
 ORDER BY a.at DESC, a.id DESC;
