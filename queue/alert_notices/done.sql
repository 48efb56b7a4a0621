-- alert_notices: sent. Nothing where another attempt has begun since.
UPDATE alert_notices SET state = 'done', done_at = clock_timestamp(), last_error = NULL WHERE id = %(notice_id)s::bigint AND state = 'pending' AND attempts = %(attempt)s::int;
