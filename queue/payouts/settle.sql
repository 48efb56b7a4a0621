-- payouts: none → a month's line for each person and project whose golds have a price of their own: the difference, once the month is over, so that no line tells a gold.
WITH unsettled AS MATERIALIZED (                                       -- a month's at most, by their own index; a submit may still be committing at midnight
    SELECT e.task_id, e.price_minor, t.project_id, date_trunc('month', t.ended_at, 'UTC') AS month
      FROM gold_exposures e
     CROSS JOIN LATERAL (SELECT * FROM tasks t WHERE t.id = e.task_id OFFSET 0) t
     WHERE e.price_minor IS NOT NULL AND e.settled_at IS NULL
       AND t.ended_at < date_trunc('month', COALESCE(%(at)s::timestamptz, clock_timestamp()) - interval '1 day', 'UTC')
       FOR NO KEY UPDATE OF e SKIP LOCKED),
settled AS (
    UPDATE gold_exposures e SET settled_at = clock_timestamp() FROM unsettled WHERE e.task_id = unsettled.task_id AND e.settled_at IS NULL RETURNING unsettled.*)
INSERT INTO payouts (person_id, project_id, amount_minor, currency, why)
SELECT o.person_id, s.project_id, sum(s.price_minor - o.amount_minor), o.currency,
       format('Golds of %%s: %%s %%s, the difference to the price for gold', to_char(s.month AT TIME ZONE 'UTC', 'YYYY-MM'), count(*), CASE count(*) WHEN 1 THEN 'look' ELSE 'looks' END)
  FROM settled s
 CROSS JOIN LATERAL (
        SELECT o.* FROM assignments a JOIN payouts o ON o.assignment_id = a.id AND o.reverses IS NULL
         WHERE a.task_id = s.task_id AND a.end_reason = 'submitted' AND NOT EXISTS (SELECT FROM payouts back WHERE back.reverses = o.id) OFFSET 0) o
 GROUP BY o.person_id, s.project_id, o.currency, s.month
HAVING sum(s.price_minor - o.amount_minor) <> 0;
