-- dead_letters: open ones to be sent again, oldest first, passing over those that somebody else sends now and those that can't go anywhere.
WITH picked AS MATERIALIZED (
    SELECT o.dead_letter_id, o.bytes
      FROM people me CROSS JOIN dead_letters_open o JOIN dead_letters d ON d.id = o.dead_letter_id LEFT JOIN projects p ON p.id = o.project_id
     WHERE me.id = %(person_id)s::int AND (me.role IN ('operator', 'lead') OR me.role = 'customer' AND me.customer_id = o.customer_id)
       AND o.dead_letter_id > %(after)s::bigint AND o.dead_letter_id <= %(last)s::bigint
       AND (%(ids)s::bigint[] IS NULL OR o.dead_letter_id = ANY (%(ids)s::bigint[])) AND (%(project_id)s::int IS NULL OR o.project_id = %(project_id)s::int)
       AND (%(code)s::text IS NULL OR o.code = %(code)s::text) AND (%(cause)s::text IS NULL OR o.cause = %(cause)s::text)
       AND (d.source <> 'items' OR p.cancelled_at IS NULL)
     ORDER BY o.dead_letter_id LIMIT %(limit)s::int FOR NO KEY UPDATE OF o SKIP LOCKED),
fit AS (
    SELECT dead_letter_id FROM (SELECT dead_letter_id, sum(bytes) OVER (ORDER BY dead_letter_id) - bytes AS before FROM picked) s
     WHERE before < %(bytes)s::bigint)
SELECT d.id, d.project_id, COALESCE(p.customer_id, d.customer_id) AS customer_id, d.source, d.message_id, d.body
  FROM fit JOIN dead_letters d ON d.id = fit.dead_letter_id LEFT JOIN projects p ON p.id = d.project_id ORDER BY d.id;
