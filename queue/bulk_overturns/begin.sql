-- bulk_overturns: none → gathering, by a lead. Of what is decided from now on nothing comes onto its list.
INSERT INTO bulk_overturns (project_id, shown_version, requested_by, moved_by, reviewer_id, reason, queue, match_decision, stood, since, until, outcome, answer, reason_code, note, most,
                            place_at, place_id)
SELECT p.id, p.shown_version, me.id, me.id, %(reviewer_id)s::int, %(reason)s::text, %(queue)s::text, %(match_decision)s::text, %(stood)s::text,
       COALESCE(%(since)s::timestamptz, 'epoch'), least(%(until)s::timestamptz, now.at), %(outcome)s::text, %(answer)s::jsonb, %(reason_code)s::text, %(note)s::text, %(most)s::int,
       now.at, (SELECT COALESCE(max(id), 0) + 1 FROM decisions)
  FROM projects p JOIN people me ON me.id = %(me)s::int AND me.role = 'lead' AND me.disabled_at IS NULL CROSS JOIN (SELECT clock_timestamp() AS at) now
 WHERE p.id = %(project_id)s::int
RETURNING id;
