-- backup: the objects of evidence that is in the store, in the order of the rows; what is spooled is in the database itself.
SELECT p.item_id, p.version::int AS version, p.n::int AS n, p.object_key, p.size, p.sha256, p.content_type
  FROM evidence_parts p JOIN evidence e ON e.item_id = p.item_id AND e.version = p.version
 WHERE (p.item_id, p.version, p.n) > (%(item_id)s::bigint, %(version)s::int, %(n)s::int) AND e.published_at IS NOT NULL
 ORDER BY p.item_id, p.version, p.n LIMIT %(limit)s::int;
