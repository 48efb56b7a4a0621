-- projects: every open task has its rank by this version of the rules.
UPDATE projects SET ranked_version = greatest(ranked_version, %(version)s::int), sweep_until = NULL WHERE id = %(project_id)s::int;
