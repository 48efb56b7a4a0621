-- control: the next decisions up to the mark, each counted once: by reason, by route, by hour and by person. Gold is left out but of people's load.
WITH mark AS MATERIALIZED (SELECT read_to, next_to FROM control_marks WHERE name = 'decisions'),
batch AS MATERIALIZED (
    SELECT d.* FROM mark CROSS JOIN LATERAL (
        SELECT * FROM decisions d WHERE d.id > mark.read_to AND d.id <= mark.next_to ORDER BY d.id LIMIT %(limit)s::int) d),
looks AS MATERIALIZED (                                                -- `n` looks more, `undone` of those of the past were overturned
    SELECT b.task_id, b.person_id, b.reason_code, COALESCE(b.verdict, left(b.answer::text, 100)) AS said, b.created_at, b.assignment_id, 1 AS n, 0 AS undone
      FROM batch b WHERE b.assignment_id IS NOT NULL
     UNION ALL
    SELECT l.task_id, l.person_id, l.reason_code, COALESCE(l.verdict, left(l.answer::text, 100)), l.created_at, l.assignment_id, 0, 1
      FROM batch b JOIN decisions s ON s.id = b.supersedes AND s.supersedes IS NULL
     CROSS JOIN LATERAL (                                              -- of a second look: what was proposed, too
        WITH RECURSIVE led AS (
            SELECT t.id, t.kind, t.parent_id FROM tasks t WHERE t.id = s.task_id
             UNION ALL
            SELECT t.id, t.kind, t.parent_id FROM led JOIN tasks t ON t.id = led.parent_id WHERE led.kind = 'approval')
        SELECT id FROM led) led
      JOIN decisions l ON l.item_id = s.item_id AND l.task_id = led.id AND l.assignment_id IS NOT NULL
       AND (l.verdict, l.answer) IS NOT DISTINCT FROM (s.verdict, s.answer)),
outcomes AS MATERIALIZED (
    SELECT o.item_id, o.project_id, COALESCE(o.verdict, left(o.answer::text, 100)) AS said, o.created_at, n, undone
      FROM (SELECT b.*, 1 AS n, 0 AS undone FROM batch b WHERE b.outcome IS NOT NULL AND b.supersedes IS NULL
             UNION ALL
            SELECT s.*, 0, 1 FROM batch b JOIN decisions s ON s.id = b.supersedes AND s.supersedes IS NULL) o
     WHERE o.reason_code <> 'auto_zero_variance'),                     -- that is automatic already
reasons AS (
    INSERT INTO control_reasons AS r (queue_id, week, reason_code, said, looks, overturned)
    SELECT t.queue_id, date_trunc('week', l.created_at AT TIME ZONE 'UTC')::date, l.reason_code, l.said, sum(l.n), sum(l.undone)
      FROM looks l JOIN tasks t ON t.id = l.task_id WHERE t.kind <> 'gold'
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ON CONFLICT (queue_id, week, reason_code, said) DO UPDATE SET looks = r.looks + excluded.looks, overturned = r.overturned + excluded.overturned),
routes AS (
    INSERT INTO control_routes AS r (queue_id, week, match_decision, currency, band, said, outcomes, overturned)
    SELECT q.id, date_trunc('week', o.created_at AT TIME ZONE 'UTC')::date, m.match_decision, m.currency,
           CASE WHEN m.variance_amount = 0 THEN 0 ELSE length(trunc(abs(m.variance_amount))::text) END, o.said, sum(o.n), sum(o.undone)
      FROM outcomes o JOIN items i ON i.id = o.item_id JOIN messages m ON m.id = i.message_id JOIN queues q ON q.project_id = o.project_id AND q.name = i.queue
     GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
        ON CONFLICT (queue_id, week, match_decision, currency, band, said) DO UPDATE
       SET outcomes = r.outcomes + excluded.outcomes, overturned = r.overturned + excluded.overturned),
hours AS (
    INSERT INTO control_hours AS h (project_id, hour, settled, reopened)
    SELECT COALESCE(b.project_id, 0), b.hour, count(*) FILTER (WHERE b.supersedes IS NULL), count(*) FILTER (WHERE b.outcome = 'reopen')
      FROM (SELECT project_id, date_trunc('hour', created_at, 'UTC') AS hour, supersedes, outcome FROM batch
             WHERE outcome = 'reopen' OR outcome IS NOT NULL AND supersedes IS NULL) b
     GROUP BY GROUPING SETS ((b.project_id, b.hour), (b.hour)) ORDER BY 1, 2
        ON CONFLICT (project_id, hour) DO UPDATE SET settled = h.settled + excluded.settled, reopened = h.reopened + excluded.reopened),
load AS (
    INSERT INTO control_load AS p (day, person_id, looks, seconds, overturned)
    SELECT (l.created_at AT TIME ZONE 'UTC')::date, l.person_id, sum(l.n), sum(l.n * extract(epoch FROM a.ended_at - a.claimed_at)), sum(l.undone)
      FROM looks l JOIN assignments a ON a.id = l.assignment_id
     GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (day, person_id) DO UPDATE
       SET looks = p.looks + excluded.looks, seconds = p.seconds + excluded.seconds, overturned = p.overturned + excluded.overturned)
UPDATE control_marks m SET read_to = CASE WHEN (SELECT count(*) FROM batch) < %(limit)s::int THEN m.next_to ELSE (SELECT max(id) FROM batch) END
 WHERE m.name = 'decisions'
RETURNING m.read_to < m.next_to AS more;
