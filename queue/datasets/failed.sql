-- dataset_work: leased → waiting, after a pause; → dead, where it was tried enough.
UPDATE dataset_work
   SET state = CASE WHEN attempts >= %(most)s::int THEN 'dead' ELSE 'waiting' END, lease = NULL, lease_until = NULL, last_error = %(error)s::text,
       due = clock_timestamp() + %(pause)s::float8 * interval '1 s'
 WHERE dataset_id = %(dataset_id)s::bigint AND lease = %(lease)s::uuid;
