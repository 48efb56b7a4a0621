-- control: the desk's own figures.
SELECT unapplied, given_up, oldest_unapplied, letters, oldest_letter, finished, late, said, outside,
       COALESCE((SELECT sum(pending) FROM control_queues), 0)::int AS pending, COALESCE((SELECT sum(pending + held + blocked + paused) FROM control_queues), 0)::int AS open
  FROM control_desk;
