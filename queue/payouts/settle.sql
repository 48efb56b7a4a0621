-- payouts: none → a month's line for each person and project whose golds have a price of their own: the difference, once the month is over, so that no line tells a gold.
WITH due AS MATERIALIZED (
    SELECT e.task_id, e.price_minor - o.amount_minor AS more, o.person_id, t.project_id, o.currency, date_trunc('month', t.ended_at, 'UTC') AS month, o.id AS line
      FROM gold_exposures e JOIN tasks t ON t.id = e.task_id
      JOIN assignments a ON a.task_id = t.id AND a.end_reason = 'submitted' JOIN payouts o ON o.assignment_id = a.id AND o.reverses IS NULL
     WHERE e.price_minor IS NOT NULL AND e.settled_at IS NULL
       AND t.ended_at < date_trunc('month', COALESCE(%(at)s::timestamptz, clock_timestamp()) - interval '1 day', 'UTC')   -- a submit may still be committing at midnight
       FOR NO KEY UPDATE OF e SKIP LOCKED),
settled AS (
    UPDATE gold_exposures e SET settled_at = clock_timestamp() FROM due WHERE e.task_id = due.task_id AND e.settled_at IS NULL RETURNING due.*)
INSERT INTO payouts (person_id, project_id, amount_minor, currency, why)
SELECT person_id, project_id, sum(more), currency,
       format('Golds of %%s: %%s %%s at the price for gold', to_char(month AT TIME ZONE 'UTC', 'YYYY-MM'), count(*), CASE count(*) WHEN 1 THEN 'look' ELSE 'looks' END)
  FROM settled
 WHERE NOT EXISTS (SELECT FROM payouts back WHERE back.reverses = settled.line)
 GROUP BY person_id, project_id, currency, month
HAVING sum(more) <> 0;
