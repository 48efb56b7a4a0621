-- bulk_overturn_ends: why how many were left out.
SELECT e.why, count(*)::int AS items FROM bulk_overturn_ends e
 WHERE e.bulk_id = %(bulk_id)s::bigint AND e.came_to = 'left_out' GROUP BY e.why ORDER BY items DESC, e.why;
