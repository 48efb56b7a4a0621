-- assignments: what a person holds now.
SELECT a.id AS assignment_id, a.item_id, a.task_id, t.kind, p.name AS project, a.claimed_at, a.lease_expires, clock_timestamp() AS server_now
  FROM assignments a JOIN tasks t ON t.id = a.task_id JOIN projects p ON p.id = t.project_id
 WHERE a.person_id = %(person_id)s::int AND a.ended_at IS NULL;
