-- evidence: spooled → dropped for ever, of a cancelled project; its bytes go, its item stays not durable. At most 500 versions: call again.
WITH project AS MATERIALIZED (
    SELECT id FROM projects WHERE id = %(project_id)s::int AND cancelled_at IS NOT NULL),
gone AS MATERIALIZED (
    SELECT e.item_id, e.version
      FROM project JOIN items i ON i.not_durable_in = project.id JOIN evidence e ON e.item_id = i.id
     WHERE e.published_at IS NULL
       AND (NOT e.waits OR EXISTS (SELECT FROM spool s WHERE s.item_id = e.item_id AND s.version = e.version))
     LIMIT 500
       FOR NO KEY UPDATE OF e SKIP LOCKED),
named AS MATERIALIZED (                                                -- and newer versions of durable items
    SELECT e.item_id, e.version
      FROM project CROSS JOIN unnest(%(item_ids)s::bigint[], %(versions)s::int[]) g(item_id, version) JOIN evidence e USING (item_id, version)
     WHERE e.published_at IS NULL AND NOT e.waits
       FOR NO KEY UPDATE OF e),
emptied AS (
    DELETE FROM spool s USING (SELECT * FROM gone UNION SELECT * FROM named) d WHERE s.item_id = d.item_id AND s.version = d.version)
UPDATE evidence e SET publish_until = NULL, waits = true, last_error = 'the project was cancelled before this was published; its bytes were dropped'
  FROM (SELECT * FROM gone UNION SELECT * FROM named) d
 WHERE e.item_id = d.item_id AND e.version = d.version;
