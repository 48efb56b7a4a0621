-- effects: a project's webhook is taken out of its rules: no outcome wants it any more. One that its receiver refused goes on collecting.
UPDATE effects SET switched_off = %(reason)s::text, on_outcomes = '{}' WHERE project_id = %(project_id)s::int AND kind = 'webhook' AND on_outcomes <> '{}';
