-- access_events: who saw what of an item, oldest first.
SELECT a.id, a.at, a.person_id, p.pseudonym, p.role, a.evidence_version, a.part, a.field, a.purpose
  FROM access_events a JOIN people p ON p.id = a.person_id
 WHERE a.item_id = %(item_id)s::bigint AND a.id > %(after)s::bigint
 ORDER BY a.id LIMIT %(limit)s::int;
