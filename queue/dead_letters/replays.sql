-- dead_letter_replays: those of a letter that the person may see, oldest first.
SELECT r.id, r.created_at, r.result, r.body IS NOT NULL AS edited, r.message_id, r.item_id, r.again_id, r.code, r.detail,
       CASE WHEN me.role = 'customer' AND who.customer_id IS DISTINCT FROM me.customer_id THEN who.pseudonym ELSE who.name END AS by
  FROM people me CROSS JOIN dead_letter_replays r JOIN people who ON who.id = r.person_id
 WHERE me.id = %(person_id)s::int AND r.dead_letter_id = %(dead_letter_id)s::bigint ORDER BY r.id LIMIT 100;
