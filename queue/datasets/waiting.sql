-- dataset_work: whether a version waits for a worker, or a customer is to be reminded of one.
SELECT EXISTS (SELECT FROM dataset_work WHERE open_until <= (SELECT clock_timestamp()))
    OR EXISTS (SELECT FROM unacknowledged(%(days)s::int, %(most)s::int)) AS waits;
