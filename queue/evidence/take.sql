-- evidence: spooled → leased by a publisher, the oldest first, no more bytes at once than it can handle before its lease ends. Where there is more than
-- that, the first few of every project come too: nobody waits behind somebody else's bulk.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
oldest AS MATERIALIZED (
    SELECT item_id, version FROM evidence
     WHERE spooled_until <= (SELECT now FROM clock)
     ORDER BY spooled_until, item_id LIMIT %(limit)s::int
       FOR NO KEY UPDATE SKIP LOCKED),
first AS MATERIALIZED (
    SELECT e.item_id, e.version
      FROM projects p CROSS JOIN LATERAL (SELECT i.id FROM items i WHERE i.not_durable_in = p.id ORDER BY i.id LIMIT 5) i JOIN evidence e ON e.item_id = i.id
     WHERE (SELECT count(*) FROM oldest) = %(limit)s::int AND p.cancelled_at IS NULL AND e.spooled_until <= (SELECT now FROM clock)
     LIMIT %(limit)s::int
       FOR NO KEY UPDATE OF e SKIP LOCKED),
pick AS (
    SELECT item_id, version, min(turn) AS turn
      FROM (SELECT *, 1 AS turn FROM first UNION ALL SELECT *, 2 FROM oldest) p GROUP BY item_id, version),
weighed AS (
    SELECT pick.*, sum(w.bytes) OVER (ORDER BY turn, item_id, version) - w.bytes AS before
      FROM pick CROSS JOIN LATERAL (
            SELECT COALESCE(sum(p.size), 0) AS bytes FROM evidence_parts p WHERE p.item_id = pick.item_id AND p.version = pick.version) w),
leased AS (
    UPDATE evidence e SET publish_until = clock_timestamp() + make_interval(secs => %(lease_seconds)s::float8), attempts = e.attempts + 1
      FROM weighed w
     WHERE w.item_id = e.item_id AND w.version = e.version AND w.before < %(bytes)s::bigint
    RETURNING e.item_id, e.version, e.attempts, e.fields)
SELECT l.*, i.project_id, i.partition_id, item_priority(i) AS priority, i.queue, i.evidence_version AS durable, p.cancelled_at IS NOT NULL AS cancelled, p.shown_version, v.rules -> 'show' AS show
  FROM leased l JOIN items i ON i.id = l.item_id JOIN projects p ON p.id = i.project_id
  LEFT JOIN project_versions v ON v.project_id = p.id AND v.version = p.shown_version
 ORDER BY l.item_id, l.version;
