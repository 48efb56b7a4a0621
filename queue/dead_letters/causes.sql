-- dead_letters: those that a person may see and nobody has replayed, by what is wrong with them, the most first; of each counted to 10,000, so that it costs
-- no more however many there are. From one cause the index leads to the next.
WITH RECURSIVE kinds AS (
    (SELECT o.code, o.cause, 1 AS nth FROM dead_letters_open o ORDER BY o.code, o.cause LIMIT 1)
     UNION ALL
    SELECT n.code, n.cause, k.nth + 1
      FROM kinds k CROSS JOIN LATERAL (
            SELECT o.code, o.cause FROM dead_letters_open o WHERE (o.code, o.cause) > (k.code, k.cause) ORDER BY o.code, o.cause LIMIT 1) n
     WHERE k.nth < 1000),
found AS (
    SELECT k.code, k.cause, s.*
      FROM people me CROSS JOIN kinds k CROSS JOIN LATERAL (
            SELECT count(*)::int AS letters, sum(l.bytes)::bigint AS bytes, count(DISTINCT l.project_id)::int AS projects,
                   min(l.created_at) AS oldest, max(l.created_at) AS newest, max(l.dead_letter_id) AS last_id
              FROM ((SELECT o.* FROM dead_letters_open o
                      WHERE me.role IN ('operator', 'lead') AND o.code = k.code AND o.cause = k.cause
                        AND (%(project_id)s::int IS NULL OR o.project_id = %(project_id)s::int)
                      ORDER BY o.dead_letter_id LIMIT 10000)
                     UNION ALL
                    (SELECT o.* FROM dead_letters_open o
                      WHERE me.role = 'customer' AND o.customer_id = me.customer_id AND o.code = k.code AND o.cause = k.cause
                        AND (%(project_id)s::int IS NULL OR o.project_id = %(project_id)s::int)
                      ORDER BY o.dead_letter_id LIMIT 10000)) l) s
     WHERE me.id = %(person_id)s::int AND s.letters > 0
     ORDER BY s.letters DESC, k.code, k.cause LIMIT 200)
SELECT f.code, f.cause, f.letters, f.bytes, f.projects, f.oldest, f.newest, d.gate, d.detail AS example
  FROM found f JOIN dead_letters d ON d.id = f.last_id ORDER BY f.letters DESC, f.code, f.cause;
