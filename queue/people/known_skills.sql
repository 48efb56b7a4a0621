-- skills: every name, for the form.
SELECT name FROM skills ORDER BY name LIMIT 1000;
