-- readiness: whether this role writes here (a number for a transaction is given by a primary alone), and may do what the desk's web may and nothing more.
SELECT pg_current_xact_id() IS NOT NULL AS writes,
       has_table_privilege('decisions', 'INSERT') AND has_table_privilege('events', 'INSERT') AND NOT has_table_privilege('decisions', 'UPDATE') AS as_web;
