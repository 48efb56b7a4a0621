-- assignments: one of the caller's own, with what its screen needs. A gold and a second look are as any review: nothing tells that they are one.
SELECT a.id, a.task_id, a.item_id, t.project_id, a.person_id, CASE WHEN t.kind = 'gold' OR second.id IS NOT NULL THEN 'review' ELSE t.kind END AS kind,
       CASE WHEN second.id IS NOT NULL THEN item_queue(i) ELSE q.name END AS queue, a.token AS lease_token, a.lease_no, a.claimed_at, a.lease_expires, a.hold_until,
       a.idle_seconds, a.ended_at, a.end_reason, t.evidence_version, t.evidence_hash, a.evidence_hash AS claimed_hash, t.shown_version, p.version AS project_version,
       p.name AS project, p.cancelled_at AS project_cancelled_at, p.deadline, i.idempotency_key, i.trace_id, CASE t.kind WHEN 'gold' THEN COALESCE(beside.created_at, i.created_at) ELSE i.created_at END AS arrived_at, COALESCE(e.title, '') AS title,
       t.state AS task_state, CASE WHEN t.kind = 'gold' OR second.id IS NOT NULL THEN p.wanted ELSE t.wanted END AS wanted, cardinality(t.votes) AS looks, t.lease_count, t.parent_id,
       (SELECT d.id FROM decisions d WHERE d.assignment_id = a.id) AS decision_id, clock_timestamp() AS server_now
  FROM assignments a JOIN tasks t ON t.id = a.task_id JOIN queues q ON q.id = t.queue_id JOIN projects p ON p.id = t.project_id JOIN items i ON i.id = a.item_id
  LEFT JOIN evidence e ON e.item_id = t.item_id AND e.version = t.evidence_version
  LEFT JOIN approvals second ON second.task_id = t.id AND t.kind = 'approval'
  LEFT JOIN LATERAL (                                                  -- a copy of a gold is as old as what its holder decided before it
        SELECT b.created_at
          FROM (SELECT d.item_id, d.created_at FROM decisions d WHERE d.person_id = a.person_id AND d.created_at < a.claimed_at ORDER BY d.created_at DESC LIMIT 50) d
          JOIN items b ON b.id = d.item_id
         WHERE b.project_id = t.project_id AND NOT b.gold ORDER BY d.created_at DESC LIMIT 1) beside ON t.kind = 'gold'
 WHERE a.id = %(assignment_id)s::bigint AND a.person_id = %(me)s::int;
