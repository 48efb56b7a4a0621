-- drafts: kept while the caller holds the task, or may still get it back. The lock lets a submit go first: a draft is not left behind it.
INSERT INTO drafts (task_id, person_id, body)
SELECT a.task_id, a.person_id, %(body)s::jsonb
  FROM assignments a JOIN tasks t ON t.id = a.task_id
 WHERE a.id = %(assignment_id)s::bigint AND a.person_id = %(me)s::int AND t.ended_as IS NULL AND a.end_reason IS DISTINCT FROM 'submitted'
   FOR SHARE OF a
    ON CONFLICT (task_id, person_id) DO UPDATE SET body = excluded.body, saved_at = clock_timestamp()
RETURNING saved_at;
