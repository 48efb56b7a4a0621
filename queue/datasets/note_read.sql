-- events: somebody takes a version's file away, on record before its first byte leaves.
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'dataset.read', %(me)s::int, d.project_id, jsonb_build_object('dataset', d.id, 'version', d.version, 'file', %(name)s::text) FROM datasets d WHERE d.id = %(dataset_id)s::bigint;
