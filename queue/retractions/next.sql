-- tombstones: those that are pending and whose item is not open again yet, beyond one: labels that flip first, then the least certain.
SELECT t.item_id, NOT t.flips AS stays, t.probability FROM tombstones t
 WHERE t.retraction_id = %(retraction_id)s::bigint AND t.status = 'pending'
   AND (NOT t.flips, t.probability, t.item_id) > (%(stays)s::boolean, %(probability)s::float8, %(item_id)s::bigint)
   AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = t.decision_id)
 ORDER BY NOT t.flips, t.probability, t.item_id LIMIT %(limit)s::int;
