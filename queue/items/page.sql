-- items: a page of a list, newest first. At most 1,000 items are looked at for one page; `bound` is the last of them, where the next page goes on.
WITH seen AS MATERIALIZED (
    SELECT i.id, i.project_id, i.idempotency_key, i.evidence_version, i.created_at, p.name AS project
      FROM projects p JOIN items i ON i.project_id = p.id
     WHERE (%(customer_id)s::int IS NULL OR p.customer_id = %(customer_id)s::int) AND (%(project_id)s::int IS NULL OR p.id = %(project_id)s::int)
       AND (%(key)s::text IS NULL OR i.idempotency_key = %(key)s::text) AND (%(after)s::bigint IS NULL OR i.id < %(after)s::bigint)
       AND NOT i.gold
     ORDER BY i.id DESC LIMIT CASE WHEN %(state)s::text IS NULL THEN 51 ELSE 1000 END),
bound AS (SELECT CASE WHEN count(*) = 1000 THEN min(id) END AS id FROM seen),
stated AS (
    SELECT seen.*, COALESCE(e.title, '') AS title, t.lease_count, o.outcome,
           CASE WHEN seen.evidence_version = 0 THEN 'not_durable'
                WHEN t.state = 'settled' THEN 'settled'
                WHEN t.state IN ('pending', 'full') AND t.kind IN ('escalation', 'adjudication') THEN 'escalated'
                WHEN t.state IN ('pending', 'full') AND t.kind = 'approval' THEN CASE WHEN o.outcome IS NULL THEN 'approval' ELSE 'settled' END
                WHEN t.state IN ('full', 'held') THEN 'leased'
                ELSE t.state END AS state
      FROM seen
      LEFT JOIN evidence e ON e.item_id = seen.id AND e.version = seen.evidence_version
      LEFT JOIN LATERAL (SELECT t.state, t.kind, t.lease_count FROM tasks t WHERE t.item_id = seen.id ORDER BY t.id DESC LIMIT 1) t ON true
      LEFT JOIN LATERAL (
            SELECT d.outcome FROM decisions d
             WHERE d.item_id = seen.id AND d.outcome IS NOT NULL AND NOT EXISTS (SELECT FROM decisions n WHERE n.supersedes = d.id) ORDER BY d.id DESC LIMIT 1) o ON true)
SELECT bound.id AS bound, s.id, s.project, s.idempotency_key, s.title, s.created_at, s.lease_count, s.outcome, s.state
  FROM bound LEFT JOIN (
        SELECT * FROM stated WHERE %(state)s::text IS NULL OR state = %(state)s::text ORDER BY id DESC LIMIT 51) s ON true
 ORDER BY s.id DESC;
