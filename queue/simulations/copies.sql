-- golds: the copies that wait for a look, by the item that they are copies of.
SELECT g.item_id, t.item_id AS copy_id
  FROM gold_exposures e JOIN tasks t ON t.id = e.task_id JOIN golds g ON g.id = e.gold_id
 WHERE e.scored_at IS NULL AND t.state = 'pending';
