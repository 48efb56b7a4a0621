-- bulk_overturns: one, with the names that go with it, and whether somebody may approve it.
SELECT b.id, b.project_id, p.name AS project, b.requested_by, l.name AS lead, b.reviewer_id, who.name AS reviewer, b.reason, b.queue, b.match_decision, b.stood,
       NULLIF(b.since, 'epoch') AS since, b.until, b.outcome, b.answer, b.reason_code, b.note, b.state, b.version, m.name AS moved_by, b.moved_at, b.why,
       a.name AS approver, b.listed, b.whole, b.reached, b.overturned, b.left_out, b.created_at, new_to_bulk(b, %(me)s::int) AS may
  FROM bulk_overturns b JOIN projects p ON p.id = b.project_id JOIN people l ON l.id = b.requested_by JOIN people m ON m.id = b.moved_by
  LEFT JOIN people who ON who.id = b.reviewer_id LEFT JOIN people a ON a.id = b.approved_by
 WHERE b.id = %(bulk_id)s::bigint;
