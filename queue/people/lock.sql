-- people: one account is about to be disabled; a claim of theirs in flight is waited for, so that the next statement sees its lease.
SELECT id AS person_id FROM people WHERE id = %(person_id)s::int AND role <> 'system' FOR NO KEY UPDATE;
