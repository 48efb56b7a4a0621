-- dataset_work: whether a version waits for a worker, a customer is to be reminded of one, or a retraction has to come back to an item.
SELECT EXISTS (SELECT FROM dataset_work WHERE open_until <= (SELECT clock_timestamp()))
    OR EXISTS (SELECT FROM retraction_waits WHERE due)
    OR EXISTS (SELECT FROM unacknowledged(%(days)s::int, %(most)s::int)) AS waits;
