-- processes: how many of each kind are at work: heard of within half a minute.
SELECT k.kind, count(p.name)::int AS live
  FROM unnest(%(kinds)s::text[]) WITH ORDINALITY k(kind, nth)
  LEFT JOIN processes p ON p.kind = k.kind AND p.stopped_at IS NULL AND p.seen_at > clock_timestamp() - interval '30 s'
 GROUP BY k.kind, k.nth ORDER BY k.nth;
