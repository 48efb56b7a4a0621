-- items: what intake must know before a chunk: the project's state, and how much is spooled already (counted no further than the limit).
SELECT p.priority, p.customer_id, p.cancelled_at IS NOT NULL AS cancelled, v.rules ->> 'title' AS title_field, COALESCE(v.rules -> 'masked', '[]') AS masked,
       COALESCE(v.rules -> 'facets', '[]') AS facets, s.parts, s.bytes
  FROM projects p CROSS JOIN (
        SELECT count(*) AS parts, COALESCE(sum(octet_length(bytes)), 0)::bigint AS bytes
          FROM (SELECT bytes FROM spool LIMIT %(limit)s::int) spooled) s
  LEFT JOIN project_versions v ON v.project_id = p.id AND v.version = p.version
 WHERE p.id = %(project_id)s::int;
