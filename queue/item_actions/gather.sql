-- item_actions: gathering → gathering, its list longer by these items, those that are on it already left out; → listed where it is full or the search is over. Its row is locked.
WITH new AS (
    SELECT given.item_id, row_number() OVER (ORDER BY min(given.n)) AS n
      FROM unnest(%(item_ids)s::bigint[]) WITH ORDINALITY given (item_id, n)
     WHERE NOT EXISTS (SELECT FROM item_action_members m WHERE m.action_id = %(action_id)s::bigint AND m.item_id = given.item_id)
     GROUP BY given.item_id ORDER BY min(given.n) LIMIT %(room)s::int),
listed AS (
    INSERT INTO item_action_members (action_id, n, item_id)
    SELECT a.id, a.members + new.n, new.item_id FROM item_actions a CROSS JOIN new WHERE a.id = %(action_id)s::bigint AND a.state = 'gathering')
UPDATE item_actions a
   SET members = a.members + (SELECT count(*) FROM new), looked_to = %(looked_to)s::text, touched_at = clock_timestamp(),
       state = CASE WHEN %(looked_to)s::text IS NOT NULL AND (SELECT count(*) FROM new) < %(room)s::int THEN 'gathering' ELSE 'listed' END
 WHERE a.id = %(action_id)s::bigint AND a.state = 'gathering';
