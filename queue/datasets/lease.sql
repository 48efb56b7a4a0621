-- dataset_work: waiting | lapsed → leased. A version is made once the one before it is there. Attempts count here, so that a kill -9 counts.
WITH pick AS MATERIALIZED (
    SELECT w.dataset_id FROM dataset_work w JOIN datasets d ON d.id = w.dataset_id
     WHERE w.open_until <= (SELECT clock_timestamp())
       AND (d.parent_id IS NULL OR EXISTS (SELECT FROM dataset_manifests m WHERE m.dataset_id = d.parent_id))
     ORDER BY w.open_until LIMIT 1
       FOR NO KEY UPDATE OF w SKIP LOCKED),
taken AS (
    UPDATE dataset_work w
       SET state = 'leased', lease = gen_random_uuid(), lease_until = clock_timestamp() + %(seconds)s::float8 * interval '1 s', attempts = w.attempts + 1
      FROM pick WHERE w.dataset_id = pick.dataset_id
    RETURNING w.dataset_id, w.lease, w.attempts)
SELECT d.id AS dataset_id, taken.lease, taken.attempts, d.project_id, p.name AS project, d.version, d.kind, d.parent_id, d.up_to, d.created_at, r.id AS retraction_id
  FROM taken JOIN datasets d ON d.id = taken.dataset_id JOIN projects p ON p.id = d.project_id LEFT JOIN retractions r ON r.dataset_id = d.id;
