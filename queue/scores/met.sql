-- scores: agreement with peers on tasks that have ended, added up.
INSERT INTO scores AS c (person_id, skill_id, peer_ok, peer_n)
SELECT g.person_id, %(skill_id)s::int, sum(g.ok), sum(g.n)
  FROM unnest(%(person_ids)s::int[], %(oks)s::float8[], %(ns)s::float8[]) g(person_id, ok, n) GROUP BY g.person_id ORDER BY g.person_id
    ON CONFLICT (person_id, skill_id) DO UPDATE SET peer_ok = c.peer_ok + excluded.peer_ok, peer_n = c.peer_n + excluded.peer_n, updated_at = clock_timestamp();
