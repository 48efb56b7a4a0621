-- tasks: held → settled, the next of a batch decision, and its decisions; what is stale goes back to its queue.
SELECT decide_batch(%(batch_id)s::bigint, %(limit)s::int) AS ended;
