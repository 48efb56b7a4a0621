-- items: how many a project has, for a measure of progress.
SELECT count(*) AS items FROM items WHERE project_id = %(project_id)s::int AND NOT gold;
