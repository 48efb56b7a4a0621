-- access_days: how many items others of a person's role look at on one of their days, in the middle.
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY d.items) AS items, count(*) AS days
  FROM access_days d JOIN people p ON p.id = d.person_id
 WHERE d.day >= (clock_timestamp() AT TIME ZONE 'UTC')::date - %(days)s::int AND d.person_id <> %(person_id)s::int
   AND p.role = (SELECT role FROM people WHERE id = %(person_id)s::int);
