-- control: the turn to count one thing, for as long as the transaction lasts; none while somebody else has it. `settled`: all that could write up to the mark has ended.
SELECT COALESCE(pg_snapshot_xmin(pg_current_snapshot()) >= next_xmax, false) AS settled
  FROM control_marks WHERE name = %(name)s::text
   FOR NO KEY UPDATE SKIP LOCKED;
