-- approvals: a page of those that are open, oldest first, for a lead: what waits, how long, and who may end it; never what was proposed.
WITH open AS MATERIALIZED (
    SELECT * FROM approvals WHERE open_item IS NOT NULL AND id > %(after)s::bigint AND (%(project_id)s::int IS NULL OR project_id = %(project_id)s::int)
     ORDER BY id LIMIT %(limit)s::int)
SELECT a.id, a.item_id, a.project_id, p.name AS project, i.idempotency_key, COALESCE(e.title, '') AS title, a.state, a.version, a.asked_at, clock_timestamp() AS server_now,
       t.cancelled_at IS NOT NULL AS cancelled, t.paused, cardinality(t.seen_by) > 0 AS held, NOT %(me)s::int = ANY (t.barred) AS may,
       EXISTS (SELECT FROM people l WHERE l.role = 'lead' AND l.disabled_at IS NULL AND NOT l.program AND NOT l.id = ANY (t.barred))
         OR a.state = 'pending' AND EXISTS (
               SELECT FROM lanes l JOIN person_skills s ON s.skill_id = l.skill_id AND s.tier >= l.tier AND s.status = 'active' AND NOT s.held_back JOIN people r ON r.id = s.person_id
                WHERE l.id = t.lane_id AND r.role = 'reviewer' AND r.disabled_at IS NULL AND NOT r.program AND NOT r.id = ANY (t.barred)) AS anybody
  FROM open a JOIN projects p ON p.id = a.project_id JOIN items i ON i.id = a.item_id JOIN tasks t ON t.id = COALESCE(a.decider_id, a.task_id)
  LEFT JOIN evidence e ON e.item_id = i.id AND e.version = t.evidence_version
 ORDER BY a.id;
