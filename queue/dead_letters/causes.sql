-- dead_letters: those that a person may see and nobody has replayed, by what is wrong with them, the most first.
WITH found AS (
    SELECT o.code, o.cause, count(*)::int AS letters, sum(o.bytes)::bigint AS bytes, count(DISTINCT o.project_id)::int AS projects,
           min(o.created_at) AS oldest, max(o.created_at) AS newest, max(o.dead_letter_id) AS last_id
      FROM people me CROSS JOIN dead_letters_open o
     WHERE me.id = %(person_id)s::int AND (me.role IN ('operator', 'lead') OR me.role = 'customer' AND me.customer_id = o.customer_id)
       AND (%(project_id)s::int IS NULL OR o.project_id = %(project_id)s::int)
     GROUP BY o.code, o.cause ORDER BY count(*) DESC, o.code, o.cause LIMIT 200)
SELECT f.code, f.cause, f.letters, f.bytes, f.projects, f.oldest, f.newest, d.gate, d.detail AS example
  FROM found f JOIN dead_letters d ON d.id = f.last_id ORDER BY f.letters DESC, f.code, f.cause;
