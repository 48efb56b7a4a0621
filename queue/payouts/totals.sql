-- payouts: a person's sums by month (UTC) and currency.
SELECT date_trunc('month', created_at, 'UTC') AS month, currency, count(*)::int AS lines, sum(amount_minor)::bigint AS amount_minor
  FROM payouts WHERE person_id = %(person_id)s::int
 GROUP BY 1, 2 ORDER BY 1 DESC, 2;
