-- skills: how sure its posteriors may be, and whether weights beat plain majority there.
UPDATE skills SET temperature = %(temperature)s::float8, weighs = %(weighs)s::boolean, fitted_at = clock_timestamp() WHERE id = %(skill_id)s::int;
