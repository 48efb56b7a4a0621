-- evidence: spooled → published, of items that are durable already. An older version that comes late is only kept. Open tasks follow by evidence/follow,
-- in the same transaction.
WITH project AS MATERIALIZED (
    SELECT p.id, p.shown_version FROM projects p
     WHERE p.id = %(project_id)s::int AND p.cancelled_at IS NULL AND p.shown_version = %(shown_version)s::int
       FOR SHARE),
given AS MATERIALIZED (
    SELECT * FROM unnest(%(item_ids)s::bigint[], %(versions)s::int[], %(hashes)b::bytea[]) g(item_id, version, hash)),
due AS MATERIALIZED (
    SELECT e.item_id, e.version, e.created_by, g.hash, e.version > i.evidence_version AS newer
      FROM given g JOIN items i ON i.id = g.item_id JOIN evidence e ON e.item_id = i.id AND e.version = g.version
      JOIN project ON project.id = i.project_id
     WHERE i.evidence_version > 0 AND e.published_at IS NULL
     ORDER BY e.item_id
       FOR NO KEY UPDATE OF i, e),
durable AS (
    UPDATE items i SET evidence_version = due.version FROM due WHERE i.id = due.item_id AND due.newer),
published AS (
    UPDATE evidence e SET published_at = clock_timestamp(), publish_until = NULL, last_error = NULL
      FROM due WHERE e.item_id = due.item_id AND e.version = due.version),
emptied AS (
    DELETE FROM spool s USING due WHERE s.item_id = due.item_id AND s.version = due.version),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, detail)
    SELECT 'evidence.published', due.created_by, project.id, due.item_id,
           jsonb_build_object('version', due.version, 'shown_version', project.shown_version, 'evidence_hash', encode(due.hash, 'hex'))
      FROM due CROSS JOIN project)
SELECT item_id, version, true AS published FROM due;
