-- decisions: the next outcomes of a batch decision that is being undone, from where it has come to.
SELECT e.n, e.decision_id FROM batch_decisions b JOIN batch_ends e ON e.batch_id = b.id
 WHERE b.id = %(batch_id)s::bigint AND e.came_to = 'decided' AND e.n > b.looked_to
   AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = e.decision_id)
 ORDER BY e.n LIMIT %(limit)s::int;
