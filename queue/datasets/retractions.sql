-- retractions: those in force at a version, oldest first, each by the version that it made.
SELECT d.version, who.pseudonym AS by, r.since, r.looks_to, r.reason, r.created_at AS at
  FROM retractions r JOIN datasets d ON d.id = r.dataset_id JOIN people who ON who.id = r.person_id
 WHERE r.project_id = %(project_id)s::int AND d.version <= %(version)s::int ORDER BY d.version;
