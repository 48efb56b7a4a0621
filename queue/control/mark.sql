-- control: up to where is read next, once all before is. Whoever drew a lower number than `next_to` has ended, so nothing appears behind it.
UPDATE control_marks SET next_to = %(next_to)s::bigint WHERE name = %(name)s::text AND read_to = next_to AND next_to < %(next_to)s::bigint;
