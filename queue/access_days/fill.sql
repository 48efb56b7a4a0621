-- access_days: none → kept, every day that is over and not written down yet, of the last so many.
WITH span AS MATERIALIZED (
    SELECT GREATEST(COALESCE((SELECT max(day) + 1 FROM access_days), '-infinity'), today - %(days)s::int) AS first, today
      FROM (SELECT ((clock_timestamp() - interval '5 minutes') AT TIME ZONE 'UTC')::date AS today) clock),
seen AS MATERIALIZED (
    SELECT a.person_id, (a.at AT TIME ZONE 'UTC')::date AS day, extract(hour FROM a.at AT TIME ZONE 'UTC')::int AS hour, a.item_id
      FROM access_events a
     WHERE a.at >= ((SELECT first FROM span)::timestamp AT TIME ZONE 'UTC') AND a.at < ((SELECT today FROM span)::timestamp AT TIME ZONE 'UTC'))
INSERT INTO access_days (person_id, day, views, items, hours)
SELECT s.person_id, s.day, s.views, s.items, h.hours
  FROM (SELECT person_id, day, count(*) AS views, count(DISTINCT item_id) AS items FROM seen GROUP BY 1, 2) s
  JOIN (SELECT person_id, day, jsonb_object_agg(hour, n) AS hours FROM (SELECT person_id, day, hour, count(*) AS n FROM seen GROUP BY 1, 2, 3) by_hour GROUP BY 1, 2) h
    USING (person_id, day)
    ON CONFLICT DO NOTHING;
