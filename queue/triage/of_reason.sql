-- decisions: the items that were decided for a reason lately, to be judged.
SELECT d.item_id, d.id::text AS place FROM decisions d
 WHERE d.project_id = %(project_id)s::int AND d.reason_code = %(reason)s::text AND d.id < %(high)s::bigint
 ORDER BY d.id DESC LIMIT %(limit)s::int;
