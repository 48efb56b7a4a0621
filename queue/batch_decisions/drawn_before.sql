-- batch_decisions: how often a sample was drawn before, at most, for an item of this list that was then dropped.
SELECT drawn_before(%(batch_id)s::bigint) AS times;
