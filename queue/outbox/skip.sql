-- outbox: dead | pending → skipped, by an operator who says why; the partition's next effect gets its turn. No row: it is not its turn, or it is on its way.
WITH skipped AS (
    UPDATE outbox o SET state = 'skipped', last_error = %(reason)s::text
     WHERE o.id = %(outbox_id)s::bigint AND o.turn AND o.state IN ('pending', 'dead')
    RETURNING o.id, o.decision_id, o.effect_id, o.partition_id, o.effect_no, old.last_error),
next AS (
    UPDATE outbox n SET turn = true FROM skipped WHERE n.partition_id = skipped.partition_id AND n.effect_no = skipped.effect_no + 1
    RETURNING n.effect_no),
moved AS (                                                             -- partitions_turn_given refuses this if the next effect came in unseen: run again
    UPDATE partitions p SET applied_no = skipped.effect_no, turn_no = COALESCE((SELECT effect_no FROM next), skipped.effect_no)
      FROM skipped WHERE p.id = skipped.partition_id)
INSERT INTO events (kind, person_id, project_id, item_id, decision_id, detail)
SELECT 'effect.skipped', %(me)s::int, e.project_id, d.item_id, d.id,
       jsonb_build_object('outbox', skipped.id, 'reason', %(reason)s::text, 'last_error', skipped.last_error)
  FROM skipped JOIN effects e ON e.id = skipped.effect_id LEFT JOIN decisions d ON d.id = skipped.decision_id;
