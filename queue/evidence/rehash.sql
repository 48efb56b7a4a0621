-- tasks: open → open, hashed under the rules in force. A live lease stays: its submit is then refused once as EVIDENCE_CHANGED.
WITH project AS MATERIALIZED (                                         -- shared lock: the next change of rules waits for us, or we see it
    SELECT id, shown_version FROM projects WHERE id = %(project_id)s::int AND shown_version = %(shown_version)s::int FOR SHARE),
given AS MATERIALIZED (
    SELECT * FROM unnest(%(task_ids)s::bigint[], %(versions)s::int[], %(hashes)b::bytea[]) g(task_id, version, hash)),
task AS MATERIALIZED (
    SELECT t.id, g.hash
      FROM project CROSS JOIN given g JOIN tasks t ON t.id = g.task_id AND t.evidence_version = g.version
     WHERE t.ended_as IS NULL
     ORDER BY t.id
       FOR NO KEY UPDATE OF t)
UPDATE tasks t SET evidence_hash = task.hash, shown_version = project.shown_version FROM task CROSS JOIN project WHERE t.id = task.id;
