-- batch_decisions: those begun so far, the newest first.
SELECT b.id, b.project_id, p.name AS project, b.led_by, l.name AS lead, b.same, b.verdict, b.answer, b.state, b.members, b.created_at,
       p.four_eyes IS NOT NULL OR COALESCE(jsonb_array_length(v.rules -> 'four_eyes') > 0, false) AS blind
  FROM batch_decisions b JOIN projects p ON p.id = b.project_id JOIN people l ON l.id = b.led_by
  JOIN project_versions v ON v.project_id = b.project_id AND v.version = b.project_version
 WHERE b.id < %(before)s::bigint AND (%(project_id)s::int IS NULL OR b.project_id = %(project_id)s::int)
 ORDER BY b.id DESC LIMIT %(limit)s::int;
