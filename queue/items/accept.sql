-- items: none → accepted; evidence: none → spooled. One chunk of rows with different keys; a key that is here already is left alone. The partitions are locked.
WITH given AS MATERIALIZED (
    SELECT * FROM unnest(%(keys)s::text[], %(source_hashes)b::bytea[], %(trace_ids)s::text[], %(priorities)s::smallint[], %(partition_keys)s::text[],
                         %(titles)s::text[], %(fields)s::text[], %(queues)s::text[], %(message_ids)s::bigint[], %(facets)s::text[])
                  WITH ORDINALITY g(key, source_hash, trace_id, priority, partition_key, title, fields, queue, message_id, facets, nth)),
known AS MATERIALIZED (
    SELECT i.id, g.key, i.source_hash FROM given g JOIN items i ON i.project_id = %(project_id)s::int AND i.idempotency_key = g.key AND NOT i.gold),
fresh AS MATERIALIZED (                                                -- ids and numbers rise as the rows were sent
    SELECT f.*, nextval('items_id_seq') AS id, row_number() OVER (PARTITION BY f.partition_key ORDER BY f.nth)::int AS step
      FROM (SELECT g.* FROM given g WHERE NOT EXISTS (SELECT FROM known WHERE known.key = g.key) ORDER BY g.nth) f),
turn AS (
    UPDATE partitions p SET accepted_no = p.accepted_no + f.n
      FROM (SELECT partition_key, count(*)::int AS n FROM fresh WHERE partition_key IS NOT NULL GROUP BY partition_key) f
     WHERE p.project_id = %(project_id)s::int AND p.key = f.partition_key
    RETURNING p.id, p.key, p.accepted_no - f.n AS before, p.last_no),
numbered AS MATERIALIZED (
    SELECT fresh.*, turn.id AS partition_id, turn.before + fresh.step AS partition_no, COALESCE(turn.before + fresh.step > turn.last_no + 200, false) AS waits
      FROM fresh LEFT JOIN turn ON turn.key = fresh.partition_key),
item AS (                                                              -- in the order of their keys: two chunks with the same keys never wait for each other in a ring
    INSERT INTO items (id, project_id, batch_id, idempotency_key, source_hash, trace_id, priority, partition_id, partition_no, queue, message_id) OVERRIDING SYSTEM VALUE
    SELECT n.id, %(project_id)s::int, %(batch_id)s::bigint, n.key, n.source_hash, n.trace_id, n.priority, n.partition_id, n.partition_no, n.queue, n.message_id
      FROM numbered n ORDER BY n.key),
version AS (
    INSERT INTO evidence (item_id, version, title, fields, created_by, waits)
    SELECT n.id, 1, n.title, ARRAY(SELECT jsonb_array_elements_text(n.fields::jsonb)), %(by)s::int, n.waits FROM numbered n ORDER BY n.nth),
faceted AS (
    INSERT INTO item_facets (item_id, version, facets) SELECT n.id, 1, facets_of(n.facets::jsonb, %(project_id)s::int) FROM numbered n WHERE n.facets <> '{}'),
part AS (
    INSERT INTO evidence_parts (item_id, version, n, name, content_type, size, sha256, object_key)
    SELECT numbered.id, 1, p.n, p.name, p.content_type, p.size, p.sha256, p.object_key
      FROM unnest(%(part_rows)s::int[], %(part_ns)s::smallint[], %(part_names)s::text[], %(part_types)s::text[], %(part_sizes)s::bigint[],
                  %(part_hashes)b::bytea[], %(part_keys)s::text[]) p(nth, n, name, content_type, size, sha256, object_key)
      JOIN numbered USING (nth)),
spooled AS (
    INSERT INTO spool (item_id, version, n, bytes)
    SELECT numbered.id, 1, s.n, s.bytes
      FROM unnest(%(spool_rows)s::int[], %(spool_ns)s::smallint[], %(spool_bytes)b::bytea[]) s(nth, n, bytes) JOIN numbered USING (nth))
SELECT id AS item_id, key, source_hash, true AS new FROM fresh
 UNION ALL
SELECT id, key, source_hash, false FROM known;
