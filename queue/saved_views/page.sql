-- saved_views: a person's own, and those that others share, by name.
SELECT v.id, v.person_id, p.name AS person, v.name, v.shared, v.filters
  FROM (SELECT * FROM saved_views WHERE person_id = %(me)s::int UNION ALL
        (SELECT * FROM saved_views WHERE shared AND person_id <> %(me)s::int ORDER BY name LIMIT 100)) v JOIN people p ON p.id = v.person_id
 ORDER BY v.person_id <> %(me)s::int, v.name;
