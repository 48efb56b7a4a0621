-- control: outcomes of the last weeks by what intake knew of their items, in the busiest queues, where there are enough; what most said. A project's, or (0) all.
WITH busiest AS MATERIALIZED (
    SELECT k.queue_id, k.looks AS all_looks, q.name AS queue, k.project_id, p.name AS project
      FROM (SELECT * FROM control_queues WHERE looks > 0 AND (%(project_id)s::int = 0 OR project_id = %(project_id)s::int) ORDER BY looks DESC, queue_id LIMIT %(limit)s::int) k
      JOIN queues q ON q.id = k.queue_id JOIN projects p ON p.id = k.project_id WHERE p.cancelled_at IS NULL),
told AS MATERIALIZED (
    SELECT b.*, r.match_decision, r.currency, r.band, r.said, sum(r.outcomes)::int AS n, sum(r.overturned)::int AS overturned,
           sum(sum(r.outcomes)) OVER (PARTITION BY b.queue_id, r.match_decision, r.currency, r.band)::int AS outcomes
      FROM busiest b JOIN control_routes r ON r.queue_id = b.queue_id AND r.week > ((SELECT clock_timestamp()) AT TIME ZONE 'UTC')::date - 7 * %(weeks)s::int
     GROUP BY b.queue_id, b.all_looks, b.queue, b.project_id, b.project, r.match_decision, r.currency, r.band, r.said)
SELECT queue_id, queue, project_id, project, match_decision, currency, band, outcomes, n AS same, overturned, said
  FROM told WHERE outcomes >= %(enough)s::int AND n - overturned >= %(sure)s::float8 * outcomes
 ORDER BY outcomes DESC, queue_id, match_decision, currency, band LIMIT 20;
