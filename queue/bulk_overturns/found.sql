-- decisions: of some outcomes, in the order they were found in, those that fit; each with why it could not be overturned. Reads rows by their keys.
SELECT array_position(%(ids)s::bigint[], d.id) AS n, d.id, d.item_id, i.idempotency_key, COALESCE(e.title, '') AS title, d.outcome, d.answer, d.reason_code,
       COALESCE(r.label, d.reason_code) AS reason, p.name AS decided_by, d.created_at, i.queue, COALESCE(i.alike[3], '') AS match_decision, not_overturned(d, NULL, NULL) AS why
  FROM decisions d JOIN items i ON i.id = d.item_id JOIN people p ON p.id = d.person_id
  LEFT JOIN reason_codes r ON r.project_id = d.project_id AND r.code = d.reason_code LEFT JOIN evidence e ON e.item_id = i.id AND e.version = i.evidence_version
 WHERE d.id = ANY (%(ids)s::bigint[]) AND d.project_id = %(project_id)s::int AND asked_for(d, i, %(queue)s::text, %(match_decision)s::text, %(stood)s::text)
 ORDER BY n;
