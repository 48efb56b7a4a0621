-- dataset_work: how far it is, and the lease goes on. No row: the lease is lost.
UPDATE dataset_work SET lease_until = clock_timestamp() + %(seconds)s::float8 * interval '1 s', step = %(step)s::text, step_done = %(done)s::bigint, step_total = %(total)s::bigint
 WHERE dataset_id = %(dataset_id)s::bigint AND lease = %(lease)s::uuid;
