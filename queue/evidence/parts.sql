-- evidence: the parts of several versions, in order.
SELECT p.item_id, p.version, p.n, p.name, p.content_type, p.size, p.sha256, p.object_key
  FROM unnest(%(item_ids)s::bigint[], %(versions)s::int[]) e(item_id, version) JOIN evidence_parts p USING (item_id, version)
 ORDER BY p.item_id, p.version, p.n;
