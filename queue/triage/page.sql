-- items: of some that were found, in the order they were found in, those that fit, with where they stand. Reads rows by their keys, as many as were found.
WITH seen AS MATERIALIZED (
    SELECT i.* FROM items i
     WHERE i.id = ANY (%(ids)s::bigint[]) AND NOT i.gold
       AND (%(project_id)s::int IS NULL OR i.project_id = %(project_id)s::int)
       AND (%(customer_id)s::int IS NULL OR i.project_id IN (SELECT id FROM projects WHERE customer_id = %(customer_id)s::int))
       AND (%(trace_id)s::text IS NULL OR i.trace_id = %(trace_id)s::text) AND (%(key)s::text IS NULL OR i.idempotency_key = %(key)s::text)
       AND (%(partition)s::text IS NULL OR i.partition_id IN (SELECT id FROM partitions WHERE project_id = %(project_id)s::int AND key = %(partition)s::text))
       AND (%(older)s::timestamptz IS NULL OR i.created_at <= %(older)s::timestamptz) AND (%(newer)s::timestamptz IS NULL OR i.created_at >= %(newer)s::timestamptz)),
fit AS MATERIALIZED (
    SELECT seen.*, array_position(%(ids)s::bigint[], seen.id) AS n, m.variance_amount, m.currency
      FROM seen LEFT JOIN messages m ON m.id = seen.message_id
     WHERE (%(least)s::numeric IS NULL OR abs(m.variance_amount) >= %(least)s::numeric) AND (%(most)s::numeric IS NULL OR abs(m.variance_amount) <= %(most)s::numeric)
       AND (%(reason)s::text IS NULL AND %(reviewer_id)s::int IS NULL
            OR EXISTS (SELECT FROM decisions d
                        WHERE d.item_id = seen.id AND (%(reason)s::text IS NULL OR d.reason_code = %(reason)s::text)
                          AND (%(reviewer_id)s::int IS NULL OR d.person_id = %(reviewer_id)s::int))
            OR %(reason)s::text IS NULL AND EXISTS (SELECT FROM assignments a WHERE a.person_id = %(reviewer_id)s::int AND a.ended_at IS NULL AND a.item_id = seen.id))
     ORDER BY n LIMIT CASE WHEN %(state)s::text IS NULL AND %(queue)s::text IS NULL AND NOT %(reasoned)s::boolean AND NOT %(reviewed)s::boolean THEN %(page)s::int + 1 END),
stands AS MATERIALIZED (
    SELECT DISTINCT ON (t.item_id) t.item_id, t.state, t.kind, t.queue_id, t.priority, t.lease_count, t.wanted
      FROM tasks t WHERE t.item_id = ANY (ARRAY(SELECT id FROM fit)) ORDER BY t.item_id, t.id DESC),
stated AS (
    SELECT fit.*, p.name AS project, q.name AS stands_in, COALESCE(s.priority, fit.priority) AS at_priority, s.lease_count, s.kind, s.wanted,
           CASE WHEN fit.evidence_version = 0 OR s.state IS NULL THEN 'not_durable'
                WHEN s.state IN ('pending', 'full') AND s.kind IN ('escalation', 'adjudication') THEN 'escalated'
                WHEN s.state IN ('pending', 'full') AND s.kind = 'approval'
                THEN CASE WHEN EXISTS (SELECT FROM decisions d WHERE d.item_id = fit.id AND d.outcome IS NOT NULL) THEN 'settled' ELSE 'approval' END
                WHEN s.state IN ('full', 'held') THEN 'leased'
                ELSE s.state END AS state
      FROM fit JOIN projects p ON p.id = fit.project_id LEFT JOIN stands s ON s.item_id = fit.id LEFT JOIN queues q ON q.id = s.queue_id),
listed AS MATERIALIZED (
    SELECT * FROM stated
     WHERE (NOT %(reasoned)s::boolean OR state IN ('settled', 'cancelled') OR kind = 'escalation')   -- what a blind look gave as its reason stays hidden,
       AND (NOT %(reviewed)s::boolean OR state IN ('settled', 'cancelled') OR kind = 'escalation' OR kind IN ('review', 'relabel') AND wanted = 1)   -- as does who looked
       AND (%(state)s::text IS NULL OR state = %(state)s::text) AND (%(queue)s::text IS NULL OR stands_in = %(queue)s::text)
     ORDER BY n LIMIT %(page)s::int + 1)
SELECT l.n, l.id, l.project_id, l.project, l.idempotency_key, l.trace_id, l.created_at, l.state, l.stands_in AS queue, l.at_priority AS priority, l.lease_count,
       l.variance_amount AS amount, l.currency, COALESCE(e.title, '') AS title, o.outcome, o.reason
  FROM listed l
  LEFT JOIN evidence e ON e.item_id = l.id AND e.version = l.evidence_version
  LEFT JOIN LATERAL (
        SELECT d.outcome, r.label AS reason FROM decisions d JOIN reason_codes r ON r.project_id = d.project_id AND r.code = d.reason_code
         WHERE d.item_id = l.id AND d.outcome IS NOT NULL ORDER BY d.id DESC LIMIT 1) o ON true
 ORDER BY l.n;
