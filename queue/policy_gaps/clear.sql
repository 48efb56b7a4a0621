-- policy_gaps: what was found before is taken away, by whom has the turn to count anew.
DELETE FROM policy_gaps;
