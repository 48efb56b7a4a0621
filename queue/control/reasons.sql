-- control: what is said and why in the queues with the most looks of the last weeks, the commonest reason first; a project's, or (0) all.
WITH busiest AS MATERIALIZED (
    SELECT k.queue_id, k.looks AS all_looks, q.name AS queue, k.project_id, p.name AS project
      FROM (SELECT * FROM control_queues WHERE looks > 0 AND (%(project_id)s::int = 0 OR project_id = %(project_id)s::int) ORDER BY looks DESC, queue_id LIMIT %(limit)s::int) k
      JOIN queues q ON q.id = k.queue_id JOIN projects p ON p.id = k.project_id WHERE p.cancelled_at IS NULL)
SELECT b.queue_id, b.queue, b.project_id, b.project, b.all_looks, l.reason_code, COALESCE(c.label, l.reason_code) AS reason, l.said, l.looks, l.overturned
  FROM busiest b
 CROSS JOIN LATERAL (
        SELECT r.reason_code, r.said, sum(r.looks)::int AS looks, sum(r.overturned)::int AS overturned
          FROM control_reasons r WHERE r.queue_id = b.queue_id AND r.week > ((SELECT clock_timestamp()) AT TIME ZONE 'UTC')::date - 7 * %(weeks)s::int
         GROUP BY 1, 2) l
  LEFT JOIN reason_codes c ON c.project_id = b.project_id AND c.code = l.reason_code
 ORDER BY b.all_looks DESC, b.queue_id, l.looks DESC, l.reason_code, l.said;
