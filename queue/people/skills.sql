-- people: what one can do.
SELECT s.name, ps.tier, ps.status FROM person_skills ps JOIN skills s ON s.id = ps.skill_id
 WHERE ps.person_id = %(person_id)s::int ORDER BY s.name;
