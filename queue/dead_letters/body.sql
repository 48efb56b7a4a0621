-- dead_letters: the bytes of one, for its customer or a lead; an operator sees no payloads.
SELECT d.body
  FROM people me CROSS JOIN dead_letters d JOIN projects p ON p.id = d.project_id
 WHERE me.id = %(person_id)s::int AND (me.role = 'lead' OR me.role = 'customer' AND me.customer_id = p.customer_id)
   AND d.id = %(dead_letter_id)s::bigint;
