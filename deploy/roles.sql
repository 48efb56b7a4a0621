-- The three roles and the database of a desk, for psql and a superuser; run again, it only sets the passwords.
--   OWNER_PASSWORD=… WEB_PASSWORD=… WORKER_PASSWORD=… psql -v ON_ERROR_STOP=1 -f deploy/roles.sql
-- What each role may do with each table is said by the migrations.
SET client_min_messages = warning;
\getenv owner_password OWNER_PASSWORD
\getenv web_password WEB_PASSWORD
\getenv worker_password WORKER_PASSWORD

SELECT format('CREATE ROLE %I LOGIN', name)
  FROM unnest(ARRAY['claimcheck_owner', 'claimcheck_web', 'claimcheck_worker']) AS wanted(name)
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
ALTER ROLE claimcheck_owner NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'owner_password';
ALTER ROLE claimcheck_web NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'web_password';
ALTER ROLE claimcheck_worker NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'worker_password';

SELECT 'CREATE DATABASE claimcheck OWNER claimcheck_owner'
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'claimcheck') \gexec
REVOKE CONNECT, TEMPORARY ON DATABASE claimcheck FROM PUBLIC;
GRANT CONNECT ON DATABASE claimcheck TO claimcheck_web, claimcheck_worker;

-- Nobody makes large objects: a table's rights don't bound them, so whoever could might fill the disk.
\connect claimcheck
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure)
  FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^lo(_|read$|write$)' \gexec
