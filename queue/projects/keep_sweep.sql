-- projects: whoever is at one's open tasks stays at them for some seconds more.
UPDATE projects SET sweep_until = clock_timestamp() + make_interval(secs => %(seconds)s::float8) WHERE id = %(project_id)s::int;
