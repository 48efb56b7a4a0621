-- projects: one, where it is this customer's.
SELECT id FROM projects WHERE id = %(project_id)s::int AND customer_id = %(customer_id)s::int;
