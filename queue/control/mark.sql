-- control: up to where is read next, once all before is. This transaction's number is drawn after `next_to` was found, so whatever wrote up to there has a lower one.
UPDATE control_marks SET next_to = greatest(next_to, %(next_to)s::bigint), next_xmax = pg_current_xact_id()
 WHERE name = %(name)s::text AND read_to = next_to;
