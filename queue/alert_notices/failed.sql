-- alert_notices: not sent: due again after a pause, or dead for good, where trying again is no use or three days are over.
UPDATE alert_notices SET last_error = %(error)s::text, due = clock_timestamp() + %(pause)s::float8 * interval '1 s',
       state = CASE WHEN %(permanent)s::boolean OR created_at < clock_timestamp() - interval '72 hours' THEN 'dead' ELSE 'pending' END
 WHERE id = %(notice_id)s::bigint AND state = 'pending' AND attempts = %(attempt)s::int;
