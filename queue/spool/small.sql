-- spool: what lies there of several versions, without bytes where a part is large.
SELECT s.item_id, s.version, s.n, CASE WHEN octet_length(s.bytes) <= %(limit)s::int THEN s.bytes END AS bytes
  FROM unnest(%(item_ids)s::bigint[], %(versions)s::int[]) e(item_id, version) JOIN spool s USING (item_id, version);
