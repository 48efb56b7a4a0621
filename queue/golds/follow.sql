-- tasks: copies of golds follow their project's pause, cancellation and rules, and are withdrawn with a retired gold; those that nobody holds.
WITH astray AS MATERIALIZED (
    SELECT t.id, p.cancelled_at IS NOT NULL OR g.retired_at IS NOT NULL OR t.shown_version <> p.shown_version AS over, p.paused_at IS NOT NULL AS halted
      FROM gold_exposures e JOIN tasks t ON t.id = e.task_id JOIN golds g ON g.id = e.gold_id JOIN projects p ON p.id = g.project_id
     WHERE e.scored_at IS NULL AND t.state IN ('pending', 'paused')
       AND (p.cancelled_at IS NOT NULL OR g.retired_at IS NOT NULL OR t.shown_version <> p.shown_version OR t.paused <> (p.paused_at IS NOT NULL))
     LIMIT 200
       FOR NO KEY UPDATE OF t SKIP LOCKED),
closed AS (
    UPDATE gold_exposures e SET scored_at = clock_timestamp() FROM astray WHERE e.task_id = astray.id AND astray.over)
UPDATE tasks t SET paused = astray.halted, cancelled_at = CASE WHEN astray.over THEN clock_timestamp() END FROM astray WHERE t.id = astray.id;
