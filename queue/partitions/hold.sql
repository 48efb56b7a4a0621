-- partitions: none → empty, or locked as they are, in the order of their keys: numbers are given under these locks.
INSERT INTO partitions AS p (project_id, key, accepted_no)
SELECT %(project_id)s::int, k.key, 0 FROM unnest(%(keys)s::text[]) k(key) ORDER BY k.key
    ON CONFLICT (project_id, key) DO UPDATE SET accepted_no = p.accepted_no;
