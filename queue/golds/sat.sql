-- gold_results: whether a look at gold was asked for by an exam that ended since: its holder had it when the last gold of the exam was not yet scored.
SELECT EXISTS (SELECT FROM decisions d JOIN assignments a ON a.id = d.assignment_id
                 JOIN gold_results r ON r.person_id = d.person_id AND r.skill_id = %(skill_id)s::int AND r.purpose = 'exam' AND r.at > a.claimed_at
                WHERE d.id = %(decision_id)s::bigint) AS exam;
