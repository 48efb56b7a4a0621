-- outbox: what each effect still has to do, and which are switched off. Counts stop at 10,000 a state.
SELECT e.id AS effect_id, e.kind, e.project_id, p.name AS project, e.url, e.switched_off, e.rest_until, e.failures,
       open.pending, open.dead, open.held, open.oldest
  FROM effects e JOIN projects p ON p.id = e.project_id
  JOIN (SELECT o.effect_id, count(*) FILTER (WHERE o.state <> 'dead' AND o.turn)::int AS pending, count(*) FILTER (WHERE o.state = 'dead')::int AS dead,
               count(*) FILTER (WHERE o.state <> 'dead' AND NOT o.turn)::int AS held, min(o.created_at) AS oldest
          FROM (SELECT * FROM outbox WHERE state IN ('pending', 'leased', 'dead') ORDER BY created_at LIMIT 10000) o GROUP BY o.effect_id) open ON open.effect_id = e.id
 UNION ALL
SELECT e.id, e.kind, e.project_id, p.name, e.url, e.switched_off, e.rest_until, e.failures, 0, 0, 0, NULL
  FROM effects e JOIN projects p ON p.id = e.project_id
 WHERE e.switched_off IS NOT NULL AND NOT EXISTS (SELECT FROM outbox o WHERE o.effect_id = e.id AND o.state IN ('pending', 'leased', 'dead'))
 ORDER BY oldest NULLS LAST, effect_id;
