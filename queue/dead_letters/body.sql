-- dead_letters: the bytes of one, for its customer or a lead, put on record; an operator sees no payloads.
WITH found AS MATERIALIZED (
    SELECT d.id, d.body, d.project_id, me.id AS person_id
      FROM people me CROSS JOIN dead_letters d LEFT JOIN projects p ON p.id = d.project_id
     WHERE me.id = %(person_id)s::int AND (me.role = 'lead' OR me.role = 'customer' AND me.customer_id = COALESCE(p.customer_id, d.customer_id))
       AND d.id = %(dead_letter_id)s::bigint),
seen AS (
    INSERT INTO events (kind, person_id, project_id, detail)
    SELECT 'dead_letter.opened', person_id, project_id, jsonb_build_object('dead_letter_id', id) FROM found
    RETURNING id)
SELECT found.body FROM found, seen;
