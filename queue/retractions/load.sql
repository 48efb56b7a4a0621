-- retractions: one, with what it decided so far and how much of what it opened again is settled.
SELECT r.id, r.project_id, p.name AS project, r.person_id, who.name AS person, r.since, r.looks_to, r.scope, r.relabel, r.reason, r.dataset_id, d.version, r.created_at,
       by.name AS requested_by, n.confirmed, n.withdrawn, n.pending, n.flips, n.reopened, n.settled
  FROM retractions r JOIN projects p ON p.id = r.project_id JOIN people who ON who.id = r.person_id JOIN people by ON by.id = r.requested_by JOIN datasets d ON d.id = r.dataset_id
 CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE t.status = 'confirmed') AS confirmed, count(*) FILTER (WHERE t.status = 'withdrawn') AS withdrawn,
              count(*) FILTER (WHERE t.status = 'pending') AS pending, count(*) FILTER (WHERE t.status = 'pending' AND t.flips) AS flips,
              count(*) FILTER (WHERE t.status = 'pending' AND later.id IS NOT NULL) AS reopened,
              count(*) FILTER (WHERE t.status = 'pending' AND later.id IS NOT NULL AND (later.outcome <> 'reopen' OR EXISTS (
                    SELECT FROM decisions s WHERE s.item_id = t.item_id AND s.id > later.id AND s.outcome IS NOT NULL AND s.outcome <> 'reopen'))) AS settled
         FROM tombstones t LEFT JOIN decisions later ON later.supersedes = t.decision_id WHERE t.retraction_id = r.id) n
 WHERE r.id = %(retraction_id)s::bigint;
