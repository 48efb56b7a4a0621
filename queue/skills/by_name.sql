-- skills: the one of this name.
SELECT id FROM skills WHERE name = %(name)s::text;
