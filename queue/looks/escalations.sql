-- tasks: the leads' work, oldest first, with why it came and who holds it; at most 200 that wait and 200 that are held.
WITH lane AS MATERIALIZED (SELECT id FROM lanes WHERE queue IN ('escalation', 'adjudication')),
waiting AS (
    SELECT t.id FROM lane CROSS JOIN LATERAL (SELECT t.id FROM tasks t WHERE t.lane_id = lane.id AND t.state = 'pending' ORDER BY t.rank LIMIT 200) t LIMIT 200),
held AS (
    SELECT a.id, a.task_id, a.person_id, a.lease_expires
      FROM lane CROSS JOIN LATERAL (
        SELECT a.id, a.task_id, a.person_id, a.lease_expires FROM assignments a
         WHERE a.lane_id = lane.id AND a.live_until IS NOT NULL ORDER BY a.live_until LIMIT 200) a LIMIT 200)
SELECT t.id AS task_id, t.item_id, t.kind, p.name AS project, COALESCE(e.title, '') AS title, i.idempotency_key, t.created_at, clock_timestamp() AS server_now,
       moved.detail ->> 'because' AS because, CASE WHEN t.kind <> 'approval' THEN parent.votes END AS votes, parent.lease_count - cardinality(parent.votes) AS abandoned, asked.label AS reason, asked.note,
       held.id AS assignment_id, CASE WHEN held.lease_expires > clock_timestamp() THEN holder.name END AS holder, held.lease_expires,
       COALESCE(held.person_id = %(me)s::int, false) AS mine, %(me)s::int = ANY (t.barred) AS barred
  FROM (SELECT id FROM waiting UNION SELECT task_id FROM held) open
  JOIN tasks t ON t.id = open.id JOIN projects p ON p.id = t.project_id JOIN items i ON i.id = t.item_id
  LEFT JOIN evidence e ON e.item_id = t.item_id AND e.version = t.evidence_version
  LEFT JOIN held ON held.task_id = t.id LEFT JOIN people holder ON holder.id = held.person_id
  LEFT JOIN tasks parent ON parent.id = t.parent_id
  LEFT JOIN LATERAL (
        SELECT ev.detail FROM events ev WHERE ev.item_id = t.item_id AND ev.task_id = t.id AND ev.kind = 'task.moved' ORDER BY ev.id DESC LIMIT 1) moved ON true
  LEFT JOIN LATERAL (
        SELECT r.label, d.note FROM decisions d JOIN reason_codes r ON r.project_id = d.project_id AND r.code = d.reason_code
         WHERE d.item_id = t.item_id AND d.task_id = parent.id AND d.verdict = 'escalate' ORDER BY d.id DESC LIMIT 1) asked ON true
 ORDER BY t.created_at, t.id;
