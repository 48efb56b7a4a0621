-- projects: every open task follows its pauses up to here.
UPDATE projects SET halted_no = greatest(halted_no, %(halt_no)s::int), sweep_until = NULL WHERE id = %(project_id)s::int;
