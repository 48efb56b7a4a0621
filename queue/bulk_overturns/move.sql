-- bulk_overturns: a step of its ways, by somebody who saw it as this version says; the server refuses every other one (`bulk_overturns_moves`) and writes the event.
UPDATE bulk_overturns
   SET state = %(to)s::text, moved_by = %(me)s::int, why = %(why)s::text, approved_by = CASE WHEN state = 'pending' AND %(to)s::text = 'running' THEN %(me)s::int ELSE approved_by END
 WHERE id = %(bulk_id)s::bigint AND version = %(version)s::int AND state = ANY (%(ways)s::text[]);
