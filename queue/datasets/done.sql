-- dataset_work: leased → done, with the signed manifest. No row: the lease is lost.
WITH done AS (
    UPDATE dataset_work SET state = 'done', lease = NULL, lease_until = NULL, last_error = NULL, step = ''
     WHERE dataset_id = %(dataset_id)s::bigint AND lease = %(lease)s::uuid
    RETURNING dataset_id),
kept AS (
    INSERT INTO dataset_manifests (dataset_id, sha256, body, rows, counts)
    SELECT dataset_id, %(sha256)s::bytea, %(body)s::bytea, %(rows)s::bigint, %(counts)s::jsonb FROM done
    RETURNING dataset_id, rows)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'dataset.delivered', 0, d.project_id, jsonb_build_object('dataset', d.id, 'version', d.version, 'rows', kept.rows) FROM kept JOIN datasets d ON d.id = kept.dataset_id;
