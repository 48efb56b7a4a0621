-- events: what operators did, the newest first.
SELECT e.id, e.at, e.kind, p.name AS by, r.name AS project, e.detail
  FROM events e JOIN people p ON p.id = e.person_id LEFT JOIN projects r ON r.id = e.project_id
 WHERE e.kind LIKE 'operations.%%' ORDER BY e.id DESC LIMIT %(limit)s::int;
