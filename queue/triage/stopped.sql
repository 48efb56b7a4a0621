-- tasks: some cancelled ones of a project, the latest first, to be judged.
SELECT t.item_id, t.id::text AS place FROM tasks t
 WHERE t.stopped_in = %(project_id)s::int AND t.id < %(high)s::bigint
 ORDER BY t.id DESC LIMIT %(limit)s::int;
