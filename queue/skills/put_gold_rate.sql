-- skills: a project's rules name the share of gold.
UPDATE skills SET gold_rate = %(gold_rate)s::float8 WHERE name = %(skill)s::text AND gold_rate <> %(gold_rate)s::float8;
