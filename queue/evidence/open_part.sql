-- access_events: none → kept, by the statement that judges: who holds the assignment sees the task's evidence of now, who submitted it what they judged, masked.
WITH mine AS (
    SELECT a.person_id, a.item_id, COALESCE(d.evidence_version, t.evidence_version) AS version, a.ended_at IS NULL AS live, t.project_id
      FROM assignments a JOIN people me ON me.id = a.person_id JOIN tasks t ON t.id = a.task_id LEFT JOIN decisions d ON d.assignment_id = a.id
     WHERE a.id = %(assignment_id)s::bigint AND a.person_id = %(person_id)s::int AND (a.ended_at IS NULL OR a.end_reason = 'submitted')
       AND me.disabled_at IS NULL AND me.role IN ('reviewer', 'lead')),
part AS MATERIALIZED (
    SELECT p.*, mine.person_id, mine.live, m.masked, m.purposes, m.withheld, m.revealed
      FROM mine JOIN evidence_parts p ON p.item_id = mine.item_id AND p.version = mine.version
      JOIN projects project ON project.id = mine.project_id JOIN project_versions v ON v.project_id = project.id AND v.version = project.version
     CROSS JOIN LATERAL mask_of(v.rules, p.n, p.name, %(reveal)s::text[], %(for_purpose)s::text) m
     WHERE p.n = %(n)s::smallint),
seen AS (
    INSERT INTO access_events (person_id, item_id, evidence_version, part, purpose, field)
    SELECT person_id, item_id, version, name, CASE WHEN live THEN 'review' ELSE 'own decision' END, NULL FROM part
     WHERE NOT withheld AND (n = 0 OR cardinality(revealed) = 0)
     UNION ALL
    SELECT person_id, item_id, version, name, %(for_purpose)s::text, field FROM part CROSS JOIN unnest(revealed) field
    RETURNING id)
SELECT p.item_id, p.version, p.n, p.name, p.content_type, p.size, p.sha256, p.object_key, p.masked, p.purposes, p.withheld, p.revealed
  FROM part p, (SELECT count(*) FROM seen) on_record;
