-- evidence: leased → spooled again, to be tried later; what went wrong is kept.
UPDATE evidence e SET publish_until = clock_timestamp() + make_interval(secs => d.seconds), last_error = d.error
  FROM unnest(%(item_ids)s::bigint[], %(versions)s::int[], %(seconds)s::float8[], %(errors)s::text[]) d(item_id, version, seconds, error)
 WHERE e.item_id = d.item_id AND e.version = d.version AND e.published_at IS NULL AND NOT e.waits;
