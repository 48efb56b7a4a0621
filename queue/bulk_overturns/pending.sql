-- bulk_overturns: those that wait for another lead, the longest first.
SELECT b.id, b.project_id, p.name AS project, l.name AS lead, b.outcome, b.answer, b.state, b.listed, b.overturned, b.left_out, b.created_at, b.moved_at
  FROM bulk_overturns b JOIN projects p ON p.id = b.project_id JOIN people l ON l.id = b.requested_by
 WHERE b.state = 'pending' ORDER BY b.moved_at LIMIT 20;
