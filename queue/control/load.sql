-- control: what people did day by day, those with the most looks of these days; of everybody else nothing.
WITH days AS MATERIALIZED (SELECT * FROM control_load WHERE day > ((SELECT clock_timestamp()) AT TIME ZONE 'UTC')::date - %(days)s::int),
busiest AS MATERIALIZED (
    SELECT b.person_id, b.all_looks, p.name AS person
      FROM (SELECT person_id, sum(looks)::int AS all_looks FROM days GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %(limit)s::int) b JOIN people p ON p.id = b.person_id)
SELECT d.person_id, b.person, d.day, d.looks, d.seconds, d.overturned, d.released, d.skipped, d.expired
  FROM busiest b JOIN days d USING (person_id)
 ORDER BY b.all_looks DESC, b.person_id, d.day;
