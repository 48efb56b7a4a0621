-- golds: live ones of open projects without a copy that waits for its look; locked, so that one stocker makes it.
SELECT g.id AS gold_id, g.item_id, i.idempotency_key,
       (SELECT n.idempotency_key FROM items n WHERE n.project_id = g.project_id AND NOT n.gold ORDER BY n.id DESC LIMIT 1) AS latest_key
  FROM golds g JOIN projects p ON p.id = g.project_id JOIN items i ON i.id = g.item_id
 WHERE g.retired_at IS NULL AND g.exposures < g.max_exposures AND p.cancelled_at IS NULL AND p.paused_at IS NULL
   AND NOT EXISTS (SELECT FROM gold_exposures e WHERE e.gold_id = g.id AND e.scored_at IS NULL)
 ORDER BY g.id LIMIT 100
   FOR NO KEY UPDATE OF g SKIP LOCKED;
