-- access_events: none → kept; with it a page of a project's items, every published version, every part, in the order of items; masked files are withheld without a purpose.
WITH item AS MATERIALIZED (
    SELECT id, idempotency_key FROM items WHERE project_id = %(project_id)s::int AND id > %(after)s::bigint AND evidence_version > 0 ORDER BY id LIMIT %(limit)s::int),
part AS MATERIALIZED (
    SELECT item.idempotency_key, p.*, m.masked, m.withheld, m.revealed
      FROM projects project JOIN project_versions v ON v.project_id = project.id AND v.version = project.version
     CROSS JOIN item JOIN evidence e ON e.item_id = item.id AND e.published_at IS NOT NULL JOIN evidence_parts p ON p.item_id = e.item_id AND p.version = e.version
     CROSS JOIN LATERAL mask_of(v.rules, p.n, p.name, %(reveal)s::text[], %(for_purpose)s::text) m
     WHERE project.id = %(project_id)s::int),
seen AS (
    INSERT INTO access_events (person_id, item_id, evidence_version, part, purpose, field)
    SELECT %(me)s::int, item_id, version, name, 'export', NULL FROM part WHERE NOT withheld AND (n = 0 OR cardinality(revealed) = 0)
     UNION ALL
    SELECT %(me)s::int, item_id, version, name, %(for_purpose)s::text, field FROM part CROSS JOIN unnest(revealed) field
    RETURNING id)
SELECT part.item_id, part.idempotency_key, part.version, part.n, part.name, part.content_type, part.size, part.sha256, part.object_key, part.masked, part.withheld,
       part.revealed
  FROM part, (SELECT count(*) FROM seen) on_record
 ORDER BY part.item_id, part.version, part.n;
