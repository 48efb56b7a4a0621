-- effects: a project's webhook is switched off.
UPDATE effects SET switched_off = %(reason)s::text WHERE project_id = %(project_id)s::int AND kind = 'webhook' AND switched_off IS NULL;
