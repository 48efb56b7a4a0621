-- dataset_acks: the customer has a delivered version; again is no error.
WITH kept AS (
    INSERT INTO dataset_acks (dataset_id, person_id)
    SELECT m.dataset_id, %(me)s::int FROM dataset_manifests m WHERE m.dataset_id = %(dataset_id)s::bigint
        ON CONFLICT (dataset_id, person_id) DO NOTHING
    RETURNING dataset_id)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'dataset.acknowledged', %(me)s::int, d.project_id, jsonb_build_object('dataset', d.id, 'version', d.version) FROM kept JOIN datasets d ON d.id = kept.dataset_id;
