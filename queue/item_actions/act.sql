-- items: the next of an action's list is kept for somebody, moved, prioritised, sent back or cancelled, or not, and why. Its end is on record in the same statement.
SELECT at_n AS n, was_done AS done, said AS why, made AS decision_id FROM act_next(%(action_id)s::bigint);
