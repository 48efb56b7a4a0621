-- tombstones: what a retraction makes of some items, each once.
INSERT INTO tombstones (retraction_id, item_id, decision_id, status, why, flips, probability)
SELECT %(retraction_id)s::bigint, t.item_id, t.decision_id, t.status, t.why, t.flips, t.probability
  FROM unnest(%(item_ids)s::bigint[], %(decision_ids)s::bigint[], %(statuses)s::text[], %(whys)s::text[], %(flips)s::boolean[], %(probabilities)s::float8[])
       t (item_id, decision_id, status, why, flips, probability)
    ON CONFLICT (retraction_id, item_id) DO NOTHING;
