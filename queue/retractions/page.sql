-- retractions: a project's, the newest first.
SELECT r.id, r.person_id, who.name AS person, r.scope, r.since, r.reason, r.dataset_id, d.version, r.created_at, by.name AS requested_by
  FROM retractions r JOIN people who ON who.id = r.person_id JOIN people by ON by.id = r.requested_by JOIN datasets d ON d.id = r.dataset_id
 WHERE r.project_id = %(project_id)s::int AND r.id < %(before)s::bigint
 ORDER BY r.id DESC LIMIT %(limit)s::int;
