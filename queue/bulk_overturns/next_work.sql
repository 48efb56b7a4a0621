-- bulk_overturns: one that a worker has to go on with; nobody else does meanwhile. `unsound`: why it may not go on.
SELECT b.id, b.state, b.outcome, b.listed, b.reached,
       CASE WHEN b.state <> 'running' THEN NULL
            WHEN (SELECT count(*) FROM people l WHERE l.id IN (b.requested_by, b.approved_by) AND l.role = 'lead' AND l.disabled_at IS NULL) < 2
            THEN 'who asked for it, or who approved it, leads no more'
            WHEN b.outcome <> 'reopen' AND p.shown_version <> b.shown_version THEN 'the project asks something else since it was begun' END AS unsound
  FROM bulk_overturns b JOIN projects p ON p.id = b.project_id
 WHERE b.state IN ('gathering', 'running') AND b.id <> ALL (%(without)s::bigint[]) ORDER BY b.touched_at LIMIT 1 FOR NO KEY UPDATE OF b SKIP LOCKED;
