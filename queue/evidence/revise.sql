-- evidence: none → spooled, one more version of an item that is locked.
WITH version AS (
    INSERT INTO evidence (item_id, version, title, fields, created_by)
    VALUES (%(item_id)s::bigint, %(version)s::int, %(title)s::text, %(fields)s::text[], %(by)s::int)),
faceted AS (
    INSERT INTO item_facets (item_id, version, facets)
    SELECT %(item_id)s::bigint, %(version)s::int, facets_of(%(facets)s::jsonb, %(project_id)s::int) WHERE %(facets)s::text <> '{}'),
part AS (
    INSERT INTO evidence_parts (item_id, version, n, name, content_type, size, sha256, object_key)
    SELECT %(item_id)s::bigint, %(version)s::int, p.n, p.name, p.content_type, p.size, p.sha256, p.object_key
      FROM unnest(%(part_rows)s::int[], %(part_ns)s::smallint[], %(part_names)s::text[], %(part_types)s::text[], %(part_sizes)s::bigint[],
                  %(part_hashes)b::bytea[], %(part_keys)s::text[]) p(nth, n, name, content_type, size, sha256, object_key))
INSERT INTO spool (item_id, version, n, bytes)
SELECT %(item_id)s::bigint, %(version)s::int, s.n, s.bytes FROM unnest(%(spool_rows)s::int[], %(spool_ns)s::smallint[], %(spool_bytes)b::bytea[]) s(nth, n, bytes);
