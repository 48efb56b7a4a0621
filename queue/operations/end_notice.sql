-- operator_notices: pending → done; or waits, and after three days → dead. Only its last sender's word counts.
UPDATE operator_notices
   SET state = CASE WHEN %(error)s::text IS NULL THEN 'done' WHEN %(permanent)s::boolean OR created_at < clock_timestamp() - interval '3 days' THEN 'dead' ELSE 'pending' END,
       last_error = %(error)s::text, due = clock_timestamp() + make_interval(secs => %(pause)s::float8)
 WHERE id = %(notice_id)s::bigint AND attempts = %(attempt)s::int AND state = 'pending';
