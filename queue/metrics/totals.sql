-- metrics: outcomes that are not applied everywhere, at any age, and rows that were refused.
SELECT (SELECT count(DISTINCT o.decision_id)::int FROM outbox o WHERE o.state IN ('pending', 'leased', 'dead')) AS unapplied,
       COALESCE((SELECT greatest(extract(epoch FROM clock_timestamp() - min(greatest(o.created_at, o.not_before))), 0)::float8
                   FROM outbox o WHERE o.state IN ('pending', 'leased', 'dead') AND o.decision_id IS NOT NULL), 0)
           AS oldest_unapplied_seconds,
       (SELECT count(*)::int FROM dead_letters) AS dead_letters;
