-- decisions: a project's outcomes in the order of settling, those after one and up to another.
SELECT d.id AS decision_id, d.item_id, i.idempotency_key, i.trace_id, d.outcome, d.verdict, d.answer, d.reason_code, d.note, who.pseudonym AS decided_by,
       (SELECT second.pseudonym FROM people second WHERE second.id = d.approved_by) AS approved_by,
       d.created_at AS decided_at, d.supersedes, later.id AS superseded_by, d.project_version, d.shown_version, d.evidence_version, d.evidence_hash,
       i.evidence_version AS current_evidence_version
  FROM decisions d JOIN items i ON i.id = d.item_id JOIN people who ON who.id = d.person_id
  LEFT JOIN decisions later ON later.supersedes = d.id
 WHERE d.project_id = %(project_id)s::int AND d.outcome IS NOT NULL AND d.id > %(after)s::bigint AND d.id <= %(up_to)s::bigint
 ORDER BY d.id LIMIT %(limit)s::int;
