-- scores: whether a look at gold waits to be scored, ended tasks of a skill to be counted, golds of a month that is over to be settled, or a gold to be copied.
SELECT EXISTS (SELECT FROM gold_exposures e JOIN tasks t ON t.id = e.task_id WHERE e.scored_at IS NULL AND t.ended_as IS NOT NULL)
    OR EXISTS (SELECT FROM weighing w JOIN tasks t ON t.id = w.task_id JOIN projects p ON p.id = t.project_id JOIN skills s ON s.id = p.skill_id
                WHERE COALESCE(s.fitted_at, '-infinity') < clock_timestamp() - make_interval(secs => %(seconds)s::float8))
    OR EXISTS (SELECT FROM skills s JOIN scores c ON c.skill_id = s.id AND c.updated_at > COALESCE(s.fitted_at, '-infinity')
                WHERE COALESCE(s.fitted_at, '-infinity') < clock_timestamp() - make_interval(secs => %(seconds)s::float8))
    OR EXISTS (SELECT FROM gold_exposures e CROSS JOIN LATERAL (SELECT * FROM tasks t WHERE t.id = e.task_id OFFSET 0) t
                WHERE e.price_minor IS NOT NULL AND e.settled_at IS NULL AND t.ended_as = 'decided' AND t.ended_at < date_trunc('month', clock_timestamp() - interval '1 day', 'UTC'))
    OR EXISTS (SELECT FROM golds g JOIN projects p ON p.id = g.project_id
                WHERE g.retired_at IS NULL AND g.exposures < g.max_exposures AND p.cancelled_at IS NULL AND p.paused_at IS NULL
                  AND NOT EXISTS (SELECT FROM gold_exposures e WHERE e.gold_id = g.id AND e.scored_at IS NULL)) AS waits;
