-- scores: whether a look at gold waits to be scored, an ended task to be counted, a gold to be copied, or a skill to be fitted.
SELECT EXISTS (SELECT FROM gold_exposures e JOIN tasks t ON t.id = e.task_id WHERE e.scored_at IS NULL AND t.ended_as IS NOT NULL)
    OR EXISTS (SELECT FROM weighing)
    OR EXISTS (SELECT FROM golds g JOIN projects p ON p.id = g.project_id
                WHERE g.retired_at IS NULL AND g.exposures < g.max_exposures AND p.cancelled_at IS NULL AND p.paused_at IS NULL
                  AND NOT EXISTS (SELECT FROM gold_exposures e WHERE e.gold_id = g.id AND e.scored_at IS NULL)) AS waits;
