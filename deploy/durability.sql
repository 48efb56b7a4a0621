-- What must be on for a receipt to mean anything; bin/run asks as each role, since a role can have settings of its own.
SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name;
