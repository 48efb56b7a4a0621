-- I18: every counter that a task or a partition carries, computed again from the assignments, decisions, events and applied rows. No row: they agree.
WITH held AS (
    SELECT task_id, count(*)::int AS leases,
           COALESCE(array_agg(person_id ORDER BY person_id) FILTER (WHERE end_reason IS NULL OR end_reason = 'submitted'), '{}') AS seen_by
      FROM assignments GROUP BY task_id),
skipped AS (
    SELECT task_id, array_agg(person_id ORDER BY person_id) AS skipped_by
      FROM (SELECT DISTINCT ON (task_id, person_id) * FROM assignments ORDER BY task_id, person_id, lease_no DESC) a
     WHERE end_reason = 'skipped' GROUP BY task_id),
looks AS (
    SELECT task_id, array_agg(COALESCE(verdict, 'answer') ORDER BY COALESCE(verdict, 'answer')) AS votes
      FROM decisions WHERE assignment_id IS NOT NULL GROUP BY task_id),
outcomes AS (
    SELECT task_id, count(*) AS n FROM decisions WHERE outcome IS NOT NULL AND supersedes IS NULL GROUP BY task_id),
eyes AS (                                                              -- of a task that asks for a second look, or for a lead's word on two
    SELECT task_id, false AS voided, true AS asks_lead, false AS resolved FROM approvals WHERE decider_id IS NOT NULL
     UNION ALL SELECT COALESCE(decider_id, task_id), state = 'voided', false, state = 'resolved' FROM approvals),
wrong_tasks AS (
    SELECT 'task' AS what, t.id
      FROM tasks t LEFT JOIN held ON held.task_id = t.id LEFT JOIN skipped s ON s.task_id = t.id LEFT JOIN looks l ON l.task_id = t.id
      LEFT JOIN outcomes o ON o.task_id = t.id LEFT JOIN tasks child ON child.parent_id = t.id LEFT JOIN partitions p ON p.id = t.partition_id LEFT JOIN eyes y ON y.task_id = t.id
     WHERE (ARRAY(SELECT unnest(t.seen_by) ORDER BY 1), t.lease_count, ARRAY(SELECT unnest(t.skipped_by) ORDER BY 1),
            ARRAY(SELECT CASE WHEN v IN ('approve', 'reject', 'escalate') THEN v ELSE 'answer' END FROM unnest(t.votes) v ORDER BY 1))
           IS DISTINCT FROM (COALESCE(held.seen_by, '{}'), COALESCE(held.leases, 0), COALESCE(s.skipped_by, '{}'), COALESCE(l.votes, '{}'))
        OR t.ended_as IS DISTINCT FROM CASE
              WHEN y.voided THEN 'voided'
              WHEN y.asks_lead THEN 'disputed'
              WHEN child.kind = 'approval' AND (o.n IS NULL) THEN 'proposed'
              WHEN y.resolved THEN 'decided'
              WHEN o.n = 1 OR (t.kind = 'gold' AND l.votes IS NOT NULL) THEN 'decided'
              WHEN child.kind = 'adjudication' THEN 'disputed'
              WHEN child.kind = 'review' THEN 'returned'
              WHEN child.kind = 'escalation' THEN CASE WHEN cardinality(l.votes) = t.wanted THEN 'escalated' ELSE 'abandoned' END END
        OR (t.cancelled_at IS NULL AND t.ended_as IS NULL AND t.waits IS DISTINCT FROM COALESCE(t.partition_no > p.promoted_no, false))),
facts AS (
    SELECT p.id, (SELECT count(DISTINCT t.partition_no) FROM tasks t WHERE t.partition_id = p.id) AS last_no,
           (SELECT count(DISTINCT t.item_id) FROM tasks t LEFT JOIN outcomes o ON o.task_id = t.id
             WHERE t.partition_id = p.id AND (o.n IS NOT NULL OR NOT t.waits AND cancelled_alone(t))) AS settled_no,
           (SELECT count(*) FROM outbox o WHERE o.partition_id = p.id) AS effect_no,
           (SELECT count(*) FROM outbox o WHERE o.partition_id = p.id AND o.state IN ('done', 'skipped')) AS applied_no
      FROM partitions p),
wrong_partitions AS (
    SELECT 'partition', p.id FROM partitions p JOIN facts f ON f.id = p.id
     WHERE (p.last_no, p.settled_no, p.effect_no, p.applied_no)::text <> (f.last_no, f.settled_no, f.effect_no, f.applied_no)::text),
wrong_outbox AS (
    SELECT 'outbox', o.id FROM outbox o LEFT JOIN applied a ON a.decision_id = o.decision_id AND a.effect_id = o.effect_id
     WHERE o.decision_id IS NOT NULL AND (o.state = 'done') <> (a.decision_id IS NOT NULL))
SELECT * FROM wrong_tasks UNION ALL SELECT * FROM wrong_partitions UNION ALL SELECT * FROM wrong_outbox LIMIT 100;
