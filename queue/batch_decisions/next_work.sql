-- batch_decisions: one that a worker has to go on with; nobody else does meanwhile. One that its lead left alone for `lapse` seconds is dropped, as is a cancelled project's.
SELECT b.id, b.project_id, b.state, b.members, b.most, b.at_most, b.confidence, b.tolerate, b.sample_asked, COALESCE(b.undone_by, 0) AS undone_by
  FROM batch_decisions b
 WHERE b.state IN ('gathering', 'sampling', 'deciding', 'undoing', 'dropping') AND b.id <> ALL (%(without)s::bigint[])
   AND (b.state <> 'sampling' OR b.touched_at < clock_timestamp() - make_interval(secs => %(lapse)s::float8)
        OR EXISTS (SELECT FROM projects p WHERE p.id = b.project_id AND p.cancelled_at IS NOT NULL))
 ORDER BY b.touched_at LIMIT 1 FOR NO KEY UPDATE OF b SKIP LOCKED;
