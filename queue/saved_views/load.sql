-- saved_views: one that is this person's or shared.
SELECT v.id, v.person_id, p.name AS person, v.name, v.shared, v.filters
  FROM saved_views v JOIN people p ON p.id = v.person_id WHERE v.id = %(view_id)s::int AND (v.shared OR v.person_id = %(me)s::int);
