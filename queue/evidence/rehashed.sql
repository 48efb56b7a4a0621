-- projects: every open task carries the hash of these rules. Nothing is said where they have changed again.
WITH done AS (
    UPDATE projects SET rehashed_version = shown_version
     WHERE id = %(project_id)s::int AND shown_version = %(shown_version)s::int AND rehashed_version < shown_version
    RETURNING id, shown_version)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'project.rehashed', 0, id, jsonb_build_object('shown_version', shown_version, 'tasks', %(tasks)s::int) FROM done;
