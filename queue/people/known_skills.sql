-- skills: every name, for the form.
SELECT name FROM skills WHERE id <> 0 ORDER BY name LIMIT 1000;
