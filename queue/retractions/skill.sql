-- skills: what gold says of a project's skill, and the rules in force.
SELECT s.temperature, s.weighs, p.version, p.cancelled_at IS NOT NULL AS cancelled FROM projects p JOIN skills s ON s.id = p.skill_id WHERE p.id = %(project_id)s::int;
