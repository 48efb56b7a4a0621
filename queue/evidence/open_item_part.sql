-- access_events: none → kept, by the statement that judges: leads see every item's published evidence, masked, a customer its own; an operator none.
WITH part AS MATERIALIZED (
    SELECT p.*, me.id AS person_id, m.masked, m.purposes, m.withheld, m.revealed
      FROM people me CROSS JOIN items i JOIN projects project ON project.id = i.project_id
      JOIN project_versions v ON v.project_id = project.id AND v.version = project.version
      JOIN evidence e ON e.item_id = i.id JOIN evidence_parts p ON p.item_id = e.item_id AND p.version = e.version
     CROSS JOIN LATERAL mask_of(CASE WHEN me.role = 'lead' THEN v.rules END, p.n, p.name, %(reveal)s::text[], %(for_purpose)s::text) m
     WHERE me.id = %(person_id)s::int AND me.disabled_at IS NULL
       AND (me.role = 'lead' OR me.role = 'customer' AND me.customer_id = project.customer_id)
       AND i.id = %(item_id)s::bigint AND e.version = %(version)s::int AND e.published_at IS NOT NULL AND p.n = %(n)s::smallint),
seen AS (
    INSERT INTO access_events (person_id, item_id, evidence_version, part, purpose, field)
    SELECT person_id, item_id, version, name, %(purpose)s::text, NULL FROM part WHERE NOT withheld AND (n = 0 OR cardinality(revealed) = 0)
     UNION ALL
    SELECT person_id, item_id, version, name, %(for_purpose)s::text, field FROM part CROSS JOIN unnest(revealed) field
    RETURNING id)
SELECT p.item_id, p.version, p.n, p.name, p.content_type, p.size, p.sha256, p.object_key, p.masked, p.purposes, p.withheld, p.revealed
  FROM part p, (SELECT count(*) FROM seen) on_record;
