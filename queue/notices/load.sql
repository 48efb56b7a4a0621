-- notices: one, with whom a letter goes to; no address where that person may not be told any more.
SELECT n.id, n.project_id, n.kind, n.body, n.created_at, n.alert_id, m.name AS person, CASE WHEN m.disabled_at IS NULL THEN m.email END AS email
  FROM notices n LEFT JOIN people m ON m.id = n.person_id
 WHERE n.id = %(notice_id)s::bigint;
