-- scores: golds answered in a skill by everybody, and rightly: the prior's mean (quality/beta).
SELECT COALESCE(sum(ok), 0)::int AS ok, COALESCE(sum(n), 0)::int AS n FROM scores WHERE skill_id = %(skill_id)s::int;
