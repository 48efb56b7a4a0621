-- A mark is set once it can be believed: the transactions that were writing then are waited for by their locks, also those that have no number yet.
ALTER TABLE control_marks DROP COLUMN next_xmax;
