-- tasks: the items that want no further look.
SELECT item_id AS id FROM tasks WHERE project_id = %(project_id)s::int AND kind = 'review' AND ended_as IS NOT NULL;
