-- bulk_overturns: those begun so far, the newest first.
SELECT b.id, b.project_id, p.name AS project, l.name AS lead, b.outcome, b.answer, b.state, b.listed, b.overturned, b.left_out, b.created_at, b.moved_at
  FROM bulk_overturns b JOIN projects p ON p.id = b.project_id JOIN people l ON l.id = b.requested_by
 WHERE b.id < %(before)s::bigint AND (%(project_id)s::int IS NULL OR b.project_id = %(project_id)s::int)
 ORDER BY b.id DESC LIMIT %(limit)s::int;
