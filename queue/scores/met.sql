-- scores: agreement with peers, as counted anew; who took part in none of these tasks keeps what was counted last.
INSERT INTO scores AS c (person_id, skill_id, peer_ok, peer_n)
SELECT g.person_id, %(skill_id)s::int, g.ok, g.n
  FROM unnest(%(person_ids)s::int[], %(oks)s::float8[], %(ns)s::float8[]) g(person_id, ok, n) ORDER BY g.person_id
    ON CONFLICT (person_id, skill_id) DO UPDATE SET peer_ok = excluded.peer_ok, peer_n = excluded.peer_n
 WHERE (c.peer_ok, c.peer_n) <> (excluded.peer_ok, excluded.peer_n);
