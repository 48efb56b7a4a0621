-- dataset_files: a file that is whole in the store, once.
INSERT INTO dataset_files (dataset_id, name, content_type, rows, size, sha256, object_key, facts)
SELECT w.dataset_id, %(name)s::text, %(content_type)s::text, %(rows)s::bigint, %(size)s::bigint, %(sha256)s::bytea, %(object_key)s::text, %(facts)s::jsonb
  FROM dataset_work w WHERE w.dataset_id = %(dataset_id)s::bigint AND w.lease = %(lease)s::uuid
    ON CONFLICT (dataset_id, name) DO NOTHING;
