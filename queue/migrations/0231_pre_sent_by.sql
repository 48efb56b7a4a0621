-- Whoever sent the message that an item came of, or mended one that was refused, had it in their hands too.
CREATE OR REPLACE FUNCTION touched(of_item bigint, beside bigint) RETURNS int[] LANGUAGE sql AS $$
    SELECT COALESCE(array_agg(DISTINCT who), '{}')
      FROM (SELECT a.person_id FROM tasks t CROSS JOIN LATERAL (SELECT person_id FROM assignments WHERE task_id = t.id OFFSET 0) a WHERE t.item_id = of_item AND t.id <> beside
             UNION ALL SELECT d.person_id FROM decisions d WHERE d.item_id = of_item AND d.task_id <> beside
             UNION ALL SELECT l.person_id FROM late_looks l WHERE l.item_id = of_item AND l.task_id <> beside
             UNION ALL SELECT p.person_id FROM proposals p WHERE p.item_id = of_item
             UNION ALL SELECT e.created_by FROM evidence e WHERE e.item_id = of_item
             UNION ALL SELECT b.created_by FROM items i JOIN batches b ON b.id = i.batch_id WHERE i.id = of_item
             UNION ALL SELECT m.received_by FROM items i JOIN messages m ON m.id = i.message_id WHERE i.id = of_item
             UNION ALL SELECT e.person_id FROM events e WHERE e.item_id = of_item AND e.task_id IS DISTINCT FROM beside) x (who)
     WHERE who <> 0 $$;
