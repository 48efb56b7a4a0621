-- control: the turn to count one thing, for as long as the transaction lasts; none while somebody else has it.
SELECT name FROM control_marks WHERE name = %(name)s::text FOR NO KEY UPDATE SKIP LOCKED;
