-- datasets: where a project's versions before one were cut, oldest first.
SELECT version, up_to FROM datasets WHERE project_id = %(project_id)s::int AND version < %(version)s::int ORDER BY version;
