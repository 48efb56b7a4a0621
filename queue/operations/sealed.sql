-- secrets: everything that is sealed by SECRET_KEY, and for what, for the owner to seal anew; locked until the end of the transaction.
SELECT 'key' AS kind, k.id AS id, k.sealed AS sealed FROM (SELECT * FROM signing_keys FOR UPDATE) k
 UNION ALL SELECT 'webhook', e.project_id::text, e.sealed_secret FROM (SELECT * FROM effects WHERE kind = 'webhook' FOR UPDATE) e
 UNION ALL SELECT 'former', e.project_id::text, e.sealed_former FROM effects e WHERE e.sealed_former IS NOT NULL;
