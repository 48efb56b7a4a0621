-- dataset_work: dead → waiting, by a lead.
WITH again AS (
    UPDATE dataset_work SET state = 'waiting', attempts = 0, due = clock_timestamp() WHERE dataset_id = %(dataset_id)s::bigint AND state = 'dead'
    RETURNING dataset_id)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'dataset.retried', %(me)s::int, d.project_id, jsonb_build_object('dataset', d.id, 'version', d.version) FROM again JOIN datasets d ON d.id = again.dataset_id;
