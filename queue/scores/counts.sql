-- scores: what everybody's weight in a skill is computed from.
SELECT person_id, ok, n, peer_ok, peer_n FROM scores WHERE skill_id = %(skill_id)s::int ORDER BY person_id;
