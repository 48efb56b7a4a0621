-- the schema: constraints, indexes, triggers, rights and functions, each as one statement.
SELECT conrelid::regclass::text AS of, '1' || conname AS place, format('ALTER TABLE %%s ADD CONSTRAINT %%s %%s;', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS text
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid <> 0 AND contype <> 'n'
 UNION ALL
SELECT i.indrelid::regclass::text, '2' || i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) || ';'
  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
 UNION ALL
SELECT t.tgrelid::regclass::text, '3' || t.tgname, pg_get_triggerdef(t.oid) || ';'
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal
 UNION ALL
SELECT table_name, '4' || grantee || privilege_type, format('GRANT %%s ON %%s TO %%s;', privilege_type, table_name, grantee)
  FROM information_schema.table_privileges WHERE table_schema = 'public' AND grantee LIKE 'claimcheck\_%%' AND grantee <> 'claimcheck_owner'
 UNION ALL
SELECT c.table_name, '5' || c.grantee || c.privilege_type, format('GRANT %%s (%%s) ON %%s TO %%s;', c.privilege_type, string_agg(c.column_name, ', ' ORDER BY c.column_name), c.table_name, c.grantee)
  FROM information_schema.column_privileges c
 WHERE c.table_schema = 'public' AND c.grantee LIKE 'claimcheck\_%%' AND c.grantee <> 'claimcheck_owner'
   AND NOT EXISTS (SELECT FROM information_schema.table_privileges t
                    WHERE (t.table_schema, t.table_name, t.grantee, t.privilege_type) = (c.table_schema, c.table_name, c.grantee, c.privilege_type))
 GROUP BY c.table_name, c.grantee, c.privilege_type
 UNION ALL
SELECT '~', '6' || p.proname, pg_get_functiondef(p.oid) || ';' FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
 ORDER BY 1, 2, 3;
