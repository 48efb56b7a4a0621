-- outbox: leased → done, with the applied row and, for a standing, the effect itself; the partition's next effect gets its turn. No row: the lease is lost.
WITH done AS (
    UPDATE outbox SET state = 'done', done_at = clock_timestamp(), lease = NULL, lease_until = NULL, last_error = NULL
     WHERE id = %(outbox_id)s::bigint AND lease = %(lease)s::uuid
    RETURNING decision_id, effect_id, partition_id, effect_no),
stood AS (                                                             -- a newer decision of the item may have been applied before
    INSERT INTO standings AS s (item_id, decision_id, outcome)
    SELECT d.item_id, d.id, d.outcome FROM done JOIN effects e ON e.id = done.effect_id JOIN decisions d ON d.id = done.decision_id WHERE e.kind = 'standing'
        ON CONFLICT (item_id) DO UPDATE
       SET times = s.times + 1, decision_id = greatest(s.decision_id, excluded.decision_id), since = clock_timestamp(),
           outcome = CASE WHEN excluded.decision_id > s.decision_id THEN excluded.outcome ELSE s.outcome END),
applied AS (
    INSERT INTO applied (decision_id, effect_id) SELECT decision_id, effect_id FROM done WHERE decision_id IS NOT NULL),
next AS (
    UPDATE outbox n SET turn = true FROM done WHERE n.partition_id = done.partition_id AND n.effect_no = done.effect_no + 1
    RETURNING n.effect_no),
moved AS (                                                             -- partitions_turn_given refuses this if the next effect came in unseen: run again
    UPDATE partitions p SET applied_no = done.effect_no, turn_no = COALESCE((SELECT effect_no FROM next), done.effect_no)
      FROM done WHERE p.id = done.partition_id),
recovered AS (
    UPDATE effects e SET failures = 0, rest_until = NULL FROM done WHERE e.id = done.effect_id AND e.failures > 0)
SELECT decision_id FROM done;
