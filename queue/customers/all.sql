-- customers: every one, by name.
SELECT id, name FROM customers ORDER BY name;
