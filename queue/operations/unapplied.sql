-- outbox: what has its turn and was not applied for so long, and what failed for good; each counted to 1,000.
SELECT (SELECT count(*)::int FROM (SELECT FROM outbox o WHERE o.state = 'pending' AND o.created_at <= clock_timestamp() - make_interval(secs => %(seconds)s::float8)
                                    AND o.turn AND COALESCE(o.not_before <= clock_timestamp(), true) LIMIT 1000) w) AS waiting,
       (SELECT count(*)::int FROM (SELECT FROM outbox o WHERE o.state = 'dead' LIMIT 1000) f) AS failed;
