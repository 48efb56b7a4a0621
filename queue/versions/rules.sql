-- project_versions: the rules of one.
SELECT rules FROM project_versions WHERE project_id = %(project_id)s::int AND version = %(version)s::int;
