-- people: whether there is one of this number.
SELECT id FROM people WHERE id = %(person_id)s::int;
