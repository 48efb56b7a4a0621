-- retractions: the one that a version was made for.
SELECT id FROM retractions WHERE dataset_id = %(dataset_id)s::bigint;
