-- control: of each kind of process how many are at work, how many of those rest, how many fell silent, and when one was last heard of.
SELECT k.kind, count(p.name) FILTER (WHERE p.stopped_at IS NULL AND p.seen_at > clock_timestamp() - make_interval(secs => %(silent)s::float8))::int AS at_work,
       count(p.name) FILTER (WHERE p.stopped_at IS NULL AND p.resting AND p.seen_at > clock_timestamp() - make_interval(secs => %(silent)s::float8))::int AS resting,
       count(p.name) FILTER (WHERE p.stopped_at IS NULL AND p.seen_at <= clock_timestamp() - make_interval(secs => %(silent)s::float8))::int AS silent,
       max(p.seen_at) AS heard
  FROM unnest(%(kinds)s::text[]) WITH ORDINALITY k (kind, nth) LEFT JOIN processes p ON p.kind = k.kind
 GROUP BY k.kind, k.nth ORDER BY k.nth;
