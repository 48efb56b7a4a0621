-- assignments: the one that the caller holds, live, or lapsed and still to be had.
SELECT a.id AS assignment_id, a.item_id, COALESCE(e.title, '') AS title, i.idempotency_key, p.name AS project, q.name AS queue, a.lease_expires,
       clock_timestamp() AS server_now
  FROM assignments a JOIN tasks t ON t.id = a.task_id JOIN queues q ON q.id = t.queue_id JOIN projects p ON p.id = t.project_id JOIN items i ON i.id = a.item_id
  LEFT JOIN evidence e ON e.item_id = t.item_id AND e.version = t.evidence_version
 WHERE a.person_id = %(me)s::int AND a.ended_at IS NULL AND (a.lease_expires > clock_timestamp() OR t.state IN ('pending', 'full'));
