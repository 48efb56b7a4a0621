-- secrets: one is sealed by the key in force now. What it opens to is the same.
WITH key AS (UPDATE signing_keys SET sealed = %(sealed)s::bytea WHERE %(kind)s::text = 'key' AND id = %(id)s::text RETURNING 1),
webhook AS (UPDATE effects SET sealed_secret = %(sealed)s::bytea WHERE %(kind)s::text = 'webhook' AND kind = 'webhook' AND project_id::text = %(id)s::text RETURNING 1),
former AS (UPDATE effects SET sealed_former = %(sealed)s::bytea WHERE %(kind)s::text = 'former' AND sealed_former IS NOT NULL AND project_id::text = %(id)s::text RETURNING 1)
SELECT (SELECT count(*) FROM key) + (SELECT count(*) FROM webhook) + (SELECT count(*) FROM former) AS n;
