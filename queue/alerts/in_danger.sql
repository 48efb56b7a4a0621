-- alerts: how many projects are at risk or late now, of a customer or of all; counted to a hundred.
SELECT count(*)::int AS n
  FROM (SELECT FROM projects p
         WHERE p.deadline IS NOT NULL AND p.cancelled_at IS NULL AND (%(customer_id)s::int IS NULL OR p.customer_id = %(customer_id)s::int)
           AND (SELECT a.state FROM alerts a WHERE a.project_id = p.id ORDER BY a.no DESC LIMIT 1) IN ('at_risk', 'late')
           AND EXISTS (SELECT FROM tasks t WHERE t.open_in = p.id) LIMIT 100) found;
