-- datasets: a project's next version is asked for; a worker makes it. No row, or datasets_version_once: somebody else asked meanwhile.
WITH made AS (
    INSERT INTO datasets (project_id, version, parent_id, kind, up_to, idempotency_key, requested_by)
    SELECT %(project_id)s::int, COALESCE(last.version, 0) + 1, last.id, 'delivery', %(up_to)s::bigint, %(idempotency_key)s::text, %(me)s::int
      FROM (VALUES (1)) one LEFT JOIN LATERAL (SELECT d.id, d.version FROM datasets d WHERE d.project_id = %(project_id)s::int ORDER BY d.version DESC LIMIT 1) last ON true
     WHERE COALESCE(last.version, 0) = %(after)s::int                 -- as the asker saw it
    RETURNING id, project_id, version),
work AS (
    INSERT INTO dataset_work (dataset_id) SELECT id FROM made),
noted AS (
    INSERT INTO events (kind, person_id, project_id, detail)
    SELECT 'dataset.asked', %(me)s::int, project_id, jsonb_build_object('dataset', id, 'version', version) FROM made)
SELECT id FROM made;
