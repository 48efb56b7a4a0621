-- tasks: open → open, with their items' newest evidence. A live lease stays: its submit is refused once as EVIDENCE_CHANGED. The items are locked.
-- To be run until none is stale: a submit in flight may raise a task that this snapshot does not see, and then the one it ends is still open in it.
WITH given AS MATERIALIZED (
    SELECT * FROM unnest(%(item_ids)s::bigint[], %(versions)s::int[], %(hashes)b::bytea[]) g(item_id, version, hash)),
stale AS MATERIALIZED (
    SELECT t.id, g.version, g.hash
      FROM given g JOIN items i ON i.id = g.item_id AND i.evidence_version = g.version JOIN tasks t ON t.item_id = g.item_id
     WHERE t.ended_as IS NULL AND t.evidence_version < g.version),
task AS MATERIALIZED (
    SELECT t.id, stale.version, stale.hash
      FROM stale JOIN tasks t ON t.id = stale.id
     WHERE t.ended_as IS NULL AND t.evidence_version < stale.version
     ORDER BY t.id
       FOR NO KEY UPDATE OF t),
changed AS (
    UPDATE tasks t SET evidence_version = task.version, shown_version = %(shown_version)s::int, evidence_hash = task.hash
      FROM task WHERE t.id = task.id)
SELECT count(*)::int AS stale FROM stale;
