-- access_events: how many openings of copies of gold there were among a customer's data, on days (UTC) that are over; counted to a thousand.
SELECT count(*)::int AS seen
  FROM (SELECT FROM access_events a
         WHERE a.customer_id = %(customer_id)s::int AND a.gold AND a.at >= %(since)s::timestamptz
           AND a.at < least(%(until)s::timestamptz, date_trunc('day', clock_timestamp(), 'UTC')) LIMIT 1001) copies;
