-- assignments: what became of one of the caller's own, once its lease no longer holds: who has the item now, and whether the caller may take it again.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT a.id, a.task_id, a.item_id, a.lease_expires, a.ended_at, a.end_reason, clock.now AS server_now,
       t.ended_as, p.cancelled_at IS NOT NULL AS cancelled,
       EXISTS (SELECT FROM assignments o WHERE o.task_id = t.id AND o.ended_at IS NULL AND o.lease_expires > clock.now AND o.person_id <> a.person_id) AS taken,
       NOT a.person_id = ANY (t.barred) AND t.state IN ('pending', 'full')
         AND (t.state = 'pending' OR EXISTS (SELECT FROM assignments o WHERE o.task_id = t.id AND o.ended_at IS NULL AND o.lease_expires <= clock.now)) AS free,
       mine.id AS holding_id, mine.item_id AS holding_item_id
  FROM clock, assignments a JOIN tasks t ON t.id = a.task_id JOIN projects p ON p.id = t.project_id
  LEFT JOIN assignments mine ON mine.person_id = a.person_id AND mine.ended_at IS NULL AND mine.id <> a.id
 WHERE a.id = %(assignment_id)s::bigint AND a.person_id = %(me)s::int AND (mine.id IS NULL OR mine.lease_expires > clock.now);
