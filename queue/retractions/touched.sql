-- decisions: a page of the items that somebody looked at in a project since a time, each with all its looks and outcomes up to a cut, and their authors' weights.
WITH mine AS MATERIALIZED (
    SELECT DISTINCT d.item_id FROM decisions d
     WHERE d.person_id = %(person_id)s::int AND d.created_at >= %(since)s::timestamptz AND d.id <= %(looks_to)s::bigint AND d.project_id = %(project_id)s::int
       AND d.assignment_id IS NOT NULL AND d.item_id > %(after)s::bigint
     ORDER BY d.item_id LIMIT %(limit)s::int)
SELECT d.item_id, d.id, d.task_id, d.assignment_id IS NOT NULL AS look, d.person_id, '' AS by, d.verdict, d.answer, d.outcome, d.supersedes, d.project_version,
       d.evidence_version, d.evidence_hash, d.reason_code, '' AS note, d.created_at AS at, COALESCE(c.weight, s.newcomer) AS weight
  FROM mine JOIN items i ON i.id = mine.item_id AND NOT i.gold JOIN decisions d ON d.item_id = mine.item_id AND d.id <= %(looks_to)s::bigint
  JOIN projects p ON p.id = d.project_id JOIN skills s ON s.id = p.skill_id LEFT JOIN scores c ON c.person_id = d.person_id AND c.skill_id = p.skill_id
 ORDER BY d.item_id, d.id;
