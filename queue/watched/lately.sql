-- watched_objects: a project's last ones, newest first.
SELECT key, size, taken_at, batch_id, accepted, repeated, refused, detail FROM watched_objects WHERE project_id = %(project_id)s::int ORDER BY taken_at DESC LIMIT %(limit)s::int;
