-- project_clocks: a project's begin anew, before its open tasks are ranked by another weight.
UPDATE project_clocks SET clock = 0 WHERE project_id = %(project_id)s::int;
