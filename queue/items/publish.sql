-- items: accepted → durable; tasks: none → pending | blocked | paused. Called when every part lies in the store, for one project, queue and priority.
-- Of a partition only the run that follows its last item is published; what comes later waits, under the partition's lock, until partitions/wake.
WITH project AS MATERIALIZED (                                         -- shared locks: cancel, pause and a change of rules wait for us, or we see them
    SELECT p.*, q.id AS queue_id, q.lane_id, p.paused_at IS NOT NULL OR q.paused_at IS NOT NULL AS halted,
           p.wanted > 1 AND EXISTS (SELECT FROM person_skills s WHERE s.skill_id = p.skill_id AND s.novice AND s.status = 'active') AS novices
      FROM projects p JOIN queues q ON q.project_id = p.id AND q.name = %(queue)s::text
     WHERE p.id = %(project_id)s::int AND p.cancelled_at IS NULL AND p.shown_version = %(shown_version)s::int
       FOR SHARE),
given AS MATERIALIZED (
    SELECT * FROM unnest(%(item_ids)s::bigint[], %(versions)s::int[], %(hashes)b::bytea[]) g(item_id, version, hash)),
turn AS MATERIALIZED (                                                 -- the partitions' row locks, in the order of their keys
    SELECT t.id, t.last_no
      FROM partitions t
     WHERE t.id IN (SELECT i.partition_id FROM given g JOIN items i ON i.id = g.item_id) AND EXISTS (SELECT FROM project)
     ORDER BY t.key
       FOR NO KEY UPDATE),
due AS MATERIALIZED (                                                  -- judged on the locked rows: another publisher may have been here
    SELECT e.item_id, e.version, e.created_by, g.hash, i.partition_id, i.partition_no, turn.last_no
      FROM given g JOIN items i ON i.id = g.item_id JOIN evidence e ON e.item_id = i.id AND e.version = g.version
      JOIN project ON project.id = i.project_id LEFT JOIN turn ON turn.id = i.partition_id
     WHERE i.priority = %(priority)s::smallint AND i.queue = %(queue)s::text AND i.evidence_version = 0 AND e.published_at IS NULL
     ORDER BY e.item_id
       FOR NO KEY UPDATE OF i, e),
arrived AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY item_id) AS k, count(*) OVER () AS of
      FROM (SELECT *, partition_no - row_number() OVER (PARTITION BY partition_id ORDER BY partition_no) AS before FROM due) d
     WHERE partition_id IS NULL OR before = last_no),
clock AS MATERIALIZED (
    SELECT c.last, c.step
      FROM project CROSS JOIN (SELECT count(*)::int AS n FROM arrived) a
     CROSS JOIN LATERAL advance_clock(project.id, project.lane_id, %(priority)s::smallint, a.n) c
     WHERE a.n > 0),
moved AS (
    UPDATE partitions p SET last_no = p.last_no + a.n, promoted_no = least(p.settled_no + 1, p.last_no + a.n)
      FROM (SELECT partition_id, count(*)::int AS n FROM arrived WHERE partition_id IS NOT NULL GROUP BY partition_id) a
     WHERE p.id = a.partition_id
    RETURNING p.id, p.last_no, p.promoted_no),
durable AS (
    UPDATE items i SET evidence_version = a.version FROM arrived a WHERE i.id = a.item_id),
published AS (
    UPDATE evidence e
       SET published_at = CASE WHEN a.item_id IS NOT NULL THEN clock_timestamp() END, publish_until = NULL, last_error = NULL, waits = a.item_id IS NULL
      FROM due LEFT JOIN arrived a ON a.item_id = due.item_id
     WHERE e.item_id = due.item_id AND e.version = due.version),
emptied AS (
    DELETE FROM spool s USING arrived a WHERE s.item_id = a.item_id AND s.version = a.version),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, detail)
    SELECT 'evidence.published', a.created_by, project.id, a.item_id,
           jsonb_build_object('version', a.version, 'shown_version', project.shown_version, 'evidence_hash', encode(a.hash, 'hex'))
      FROM arrived a CROSS JOIN project ORDER BY a.k),
task AS (
    INSERT INTO tasks (item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, abandon_limit, price_minor,
                       evidence_version, shown_version, evidence_hash, partition_id, partition_no, waits, paused, reserved_until)
    SELECT a.item_id, project.id, 'review', project.queue_id, project.lane_id, %(priority)s::smallint, clock.last - (a.of - a.k) * clock.step,
           clock_timestamp() - %(priority)s::smallint * interval '10 minutes', project.wanted, project.abandon_limit, project.price_minor,
           a.version, project.shown_version, a.hash, a.partition_id, a.partition_no, COALESCE(a.partition_no > moved.promoted_no, false), project.halted,
           CASE WHEN project.novices AND a.item_id %% 10 = 0 THEN clock_timestamp() + interval '15 minutes' END   -- one in ten is the novices' first
      FROM arrived a CROSS JOIN project CROSS JOIN clock LEFT JOIN moved ON moved.id = a.partition_id
     ORDER BY a.k)
SELECT due.item_id, due.version, a.item_id IS NOT NULL AS published FROM due LEFT JOIN arrived a ON a.item_id = due.item_id;
