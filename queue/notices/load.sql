-- notices: one.
SELECT id, project_id, kind, body, created_at FROM notices WHERE id = %(notice_id)s::bigint;
