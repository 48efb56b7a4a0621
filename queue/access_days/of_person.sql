-- access_days: one person's last days, newest first; today so far among them.
SELECT day, views, items, hours
  FROM access_days
 WHERE person_id = %(person_id)s::int AND day >= (clock_timestamp() AT TIME ZONE 'UTC')::date - %(days)s::int
 UNION ALL
SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date, count(*), count(DISTINCT item_id), '{}'
  FROM access_events
 WHERE person_id = %(person_id)s::int AND at >= date_trunc('day', clock_timestamp(), 'UTC')
HAVING count(*) > 0
 ORDER BY day DESC;
