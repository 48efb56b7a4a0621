-- skills: what was fitted.
SELECT temperature, weighs FROM skills WHERE name = %(skill)s::text;
