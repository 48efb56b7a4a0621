-- inbox_partitions: none → empty, or locked as they are, in the order of projects and keys: ids of messages are given under these locks.
INSERT INTO inbox_partitions AS p (project_id, key)
SELECT k.project_id, k.key FROM unnest(%(project_ids)s::int[], %(keys)s::text[]) k(project_id, key) ORDER BY k.project_id, k.key
    ON CONFLICT (project_id, key) DO UPDATE SET open = p.open;
