-- backup: the objects of uploads and of dataset versions.
SELECT u.object_key, u.size, u.sha256, u.content_type FROM uploads u
 UNION ALL SELECT f.object_key, f.size, f.sha256, f.content_type FROM dataset_files f;
