-- access_events: none → kept; with it a page of a project's items, every published version, every part, in the order of items.
WITH item AS MATERIALIZED (
    SELECT id, idempotency_key FROM items WHERE project_id = %(project_id)s::int AND id > %(after)s::bigint AND evidence_version > 0 ORDER BY id LIMIT %(limit)s::int),
part AS MATERIALIZED (
    SELECT item.idempotency_key, p.*
      FROM item JOIN evidence e ON e.item_id = item.id AND e.published_at IS NOT NULL JOIN evidence_parts p ON p.item_id = e.item_id AND p.version = e.version),
seen AS (
    INSERT INTO access_events (person_id, item_id, evidence_version, part, purpose)
    SELECT %(me)s::int, item_id, version, name, 'export' FROM part
    RETURNING id)
SELECT part.item_id, part.idempotency_key, part.version, part.n, part.name, part.content_type, part.size, part.sha256, part.object_key
  FROM part, (SELECT count(*) FROM seen) on_record
 ORDER BY part.item_id, part.version, part.n;
