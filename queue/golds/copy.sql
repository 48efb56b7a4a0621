-- items: none → durable, as copies of golds: the same parts under a key (of several that were drawn the first that is free), a trace and a time of their own.
WITH given AS MATERIALIZED (
    SELECT * FROM unnest(%(item_ids)s::bigint[], %(keys)s::text[], %(trace_ids)s::text[]) WITH ORDINALITY g(source_id, key, trace_id, nth)),
free AS (                                                              -- none: drawn again another time
    SELECT DISTINCT ON (given.source_id) given.*
      FROM given JOIN items s ON s.id = given.source_id
     WHERE NOT EXISTS (SELECT FROM items i WHERE i.project_id = s.project_id AND i.idempotency_key = given.key AND NOT i.gold)
       AND NOT EXISTS (SELECT FROM items i WHERE i.project_id = s.project_id AND i.idempotency_key = given.key AND i.gold)
     ORDER BY given.source_id, nth),
fresh AS MATERIALIZED (
    SELECT f.*, nextval('items_id_seq') AS id FROM (SELECT * FROM free ORDER BY nth) f),
copied AS (
    INSERT INTO items (id, project_id, batch_id, idempotency_key, source_hash, trace_id, priority, evidence_version, gold) OVERRIDING SYSTEM VALUE
    SELECT fresh.id, i.project_id, i.batch_id, fresh.key, sha256(convert_to(fresh.key, 'UTF8')), fresh.trace_id, i.priority, 1, true
      FROM fresh JOIN items i ON i.id = fresh.source_id),
version AS (
    INSERT INTO evidence (item_id, version, title, fields, created_by, published_at)
    SELECT fresh.id, 1, e.title, e.fields, e.created_by, clock_timestamp()
      FROM fresh JOIN items i ON i.id = fresh.source_id JOIN evidence e ON e.item_id = i.id AND e.version = i.evidence_version),
part AS (
    INSERT INTO evidence_parts (item_id, version, n, name, content_type, size, sha256, object_key)
    SELECT fresh.id, 1, p.n, p.name, p.content_type, p.size, p.sha256, p.object_key
      FROM fresh JOIN items i ON i.id = fresh.source_id JOIN evidence_parts p ON p.item_id = i.id AND p.version = i.evidence_version)
SELECT source_id, id AS item_id FROM fresh ORDER BY nth;
