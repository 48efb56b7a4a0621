-- dataset_files: those of a version that are whole.
SELECT name, content_type, rows, size, sha256, object_key, facts FROM dataset_files WHERE dataset_id = %(dataset_id)s::bigint ORDER BY name;
