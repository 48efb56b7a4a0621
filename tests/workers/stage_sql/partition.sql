INSERT INTO partitions AS p (project_id, key, accepted_no, last_no, promoted_no, settled_no) VALUES (%(project)s, %(key)s, 1, 1, 1, 1)
    ON CONFLICT (project_id, key) DO UPDATE
   SET accepted_no = p.accepted_no + 1, last_no = p.last_no + 1, promoted_no = p.promoted_no + 1, settled_no = p.settled_no + 1
RETURNING id, accepted_no
