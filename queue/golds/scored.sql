-- golds: a look at a copy is scored, or (`correct` null: it was escalated) left out. An exam wears nothing out.
WITH exposure AS (
    UPDATE gold_exposures SET scored_at = clock_timestamp() WHERE task_id = %(task_id)s::bigint AND scored_at IS NULL RETURNING gold_id),
result AS (
    INSERT INTO gold_results (decision_id, person_id, skill_id, item_id, purpose, correct, level)
    SELECT %(decision_id)s::bigint, %(person_id)s::int, %(skill_id)s::int, %(item_id)s::bigint, %(purpose)s::text, %(correct)s::boolean, %(level)s::float8
      FROM exposure WHERE %(correct)s::boolean IS NOT NULL)
UPDATE golds g
   SET exposures = g.exposures + 1,
       retired_at = CASE WHEN g.exposures + 1 >= g.max_exposures THEN COALESCE(g.retired_at, clock_timestamp()) ELSE g.retired_at END,
       retired_why = CASE WHEN g.exposures + 1 >= g.max_exposures THEN COALESCE(g.retired_why, 'worn out') ELSE g.retired_why END
  FROM exposure WHERE g.id = exposure.gold_id AND %(purpose)s::text <> 'exam' AND g.exposures < g.max_exposures;
