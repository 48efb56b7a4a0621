-- access_events: none → kept, by the statement that judges: leads see every item's published evidence, a customer its own; an operator none.
WITH part AS MATERIALIZED (
    SELECT p.*, me.id AS person_id
      FROM people me CROSS JOIN items i JOIN projects project ON project.id = i.project_id
      JOIN evidence e ON e.item_id = i.id JOIN evidence_parts p ON p.item_id = e.item_id AND p.version = e.version
     WHERE me.id = %(person_id)s::int AND me.disabled_at IS NULL
       AND (me.role = 'lead' OR me.role = 'customer' AND me.customer_id = project.customer_id)
       AND i.id = %(item_id)s::bigint AND e.version = %(version)s::int AND e.published_at IS NOT NULL AND p.n = %(n)s::smallint),
seen AS (
    INSERT INTO access_events (person_id, item_id, evidence_version, part, purpose)
    SELECT person_id, item_id, version, name, %(purpose)s::text FROM part
    RETURNING id)
SELECT p.item_id, p.version, p.n, p.name, p.content_type, p.size, p.sha256, p.object_key FROM part p, seen;
