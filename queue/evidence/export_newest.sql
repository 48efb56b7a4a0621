-- access_events: none → kept; with it a page of a project's items, the fields of their newest published evidence, their files' names, and the outcome in force.
WITH item AS MATERIALIZED (
    SELECT id, idempotency_key, evidence_version FROM items
     WHERE project_id = %(project_id)s::int AND id > %(after)s::bigint AND evidence_version > 0 AND NOT gold ORDER BY id LIMIT %(limit)s::int),
part AS MATERIALIZED (
    SELECT item.idempotency_key, p.*, m.masked, m.revealed
      FROM projects project JOIN project_versions v ON v.project_id = project.id AND v.version = project.version
     CROSS JOIN item JOIN evidence_parts p ON p.item_id = item.id AND p.version = item.evidence_version AND p.n = 0
     CROSS JOIN LATERAL mask_of(CASE WHEN %(masks)s::boolean THEN v.rules END, p.n, p.name, %(reveal)s::text[], %(for_purpose)s::text) m
     WHERE project.id = %(project_id)s::int),
seen AS (
    INSERT INTO access_events (person_id, item_id, evidence_version, part, purpose, field)
    SELECT %(me)s::int, item_id, version, name, 'export', NULL FROM part
     UNION ALL
    SELECT %(me)s::int, item_id, version, name, %(for_purpose)s::text, field FROM part CROSS JOIN unnest(revealed) field
    RETURNING id)
SELECT part.item_id, part.idempotency_key, part.version, part.size, part.sha256, part.object_key, part.masked, part.revealed,
       ARRAY(SELECT f.name FROM evidence_parts f WHERE f.item_id = part.item_id AND f.version = part.version AND f.n > 0 ORDER BY f.n) AS files,
       o.id AS decision_id, o.outcome, o.answer, o.reason_code, o.note, o.decided_by, o.decided_by_id, o.decided_at
  FROM part CROSS JOIN (SELECT count(*) FROM seen) on_record
  LEFT JOIN LATERAL (
        SELECT d.id, d.outcome, d.answer, d.reason_code, d.note, p.pseudonym AS decided_by, p.id AS decided_by_id, d.created_at AS decided_at
          FROM decisions d JOIN people p ON p.id = d.person_id
         WHERE d.item_id = part.item_id AND d.outcome IS NOT NULL AND d.outcome <> 'reopen' AND NOT EXISTS (SELECT FROM decisions n WHERE n.supersedes = d.id)
         ORDER BY d.id DESC LIMIT 1) o ON true
 ORDER BY part.item_id;
