-- batches: one, for the customer whose project it is in, a lead, an operator or the desk itself, with what became of its rows.
SELECT b.id, b.project_id, b.created_at, b.closed_at, b.repeated, i.accepted, i.claimable, d.refused
  FROM people me CROSS JOIN batches b JOIN projects p ON p.id = b.project_id
 CROSS JOIN LATERAL (SELECT count(*)::int AS accepted, count(*) FILTER (WHERE evidence_version > 0)::int AS claimable FROM items WHERE batch_id = b.id AND NOT gold) i
 CROSS JOIN LATERAL (SELECT count(*)::int AS refused FROM dead_letters WHERE batch_id = b.id) d
 WHERE me.id = %(person_id)s::int AND (me.role IN ('lead', 'operator', 'system') OR me.role = 'customer' AND me.customer_id = p.customer_id)
   AND b.id = %(batch_id)s::bigint;
