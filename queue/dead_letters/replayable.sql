-- dead_letters: one with its bytes, to be sent again; whoever may see it may.
SELECT d.id, d.project_id, COALESCE(p.customer_id, d.customer_id) AS customer_id, d.source, d.message_id, d.body
  FROM people me CROSS JOIN dead_letters d LEFT JOIN projects p ON p.id = d.project_id
 WHERE me.id = %(person_id)s::int AND (me.role IN ('operator', 'lead') OR me.role = 'customer' AND me.customer_id = COALESCE(p.customer_id, d.customer_id))
   AND d.id = %(dead_letter_id)s::bigint;
