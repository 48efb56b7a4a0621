-- dead_letters: how many of those that were asked for are open still, as they were when it began.
SELECT count(*)::int AS n
  FROM people me CROSS JOIN dead_letters_open o
 WHERE me.id = %(person_id)s::int AND (me.role IN ('operator', 'lead') OR me.role = 'customer' AND me.customer_id = o.customer_id)
   AND o.dead_letter_id <= %(last)s::bigint
   AND (%(ids)s::bigint[] IS NULL OR o.dead_letter_id = ANY (%(ids)s::bigint[])) AND (%(project_id)s::int IS NULL OR o.project_id = %(project_id)s::int)
   AND (%(code)s::text IS NULL OR o.code = %(code)s::text) AND (%(cause)s::text IS NULL OR o.cause = %(cause)s::text);
