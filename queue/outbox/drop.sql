-- outbox: leased → skipped, since its outcome was undone before it went out; the partition's next effect gets its turn. No row: the lease is lost.
WITH dropped AS (
    UPDATE outbox SET state = 'skipped', lease = NULL, lease_until = NULL, last_error = 'Undone before it went out'
     WHERE id = %(outbox_id)s::bigint AND lease = %(lease)s::uuid AND undone
    RETURNING partition_id, effect_no),
next AS (
    UPDATE outbox n SET turn = true FROM dropped WHERE n.partition_id = dropped.partition_id AND n.effect_no = dropped.effect_no + 1
    RETURNING n.effect_no),
moved AS (                                                             -- partitions_turn_given refuses this if the next effect came in unseen: run again
    UPDATE partitions p SET applied_no = dropped.effect_no, turn_no = COALESCE((SELECT effect_no FROM next), dropped.effect_no)
      FROM dropped WHERE p.id = dropped.partition_id)
SELECT count(*)::int AS dropped FROM dropped;
