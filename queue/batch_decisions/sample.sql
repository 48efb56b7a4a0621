-- batch_draws: the sample in its order, each with the lead's own look at it. One that came to nothing (`void`) counts for nothing; the next place stands in.
SELECT d.place, d.n, m.item_id, i.idempotency_key, COALESCE(e.title, '') AS title, look.id AS decision_id, look.verdict, look.answer, look.reason_code,
       CASE WHEN look.id IS NOT NULL AND look.evidence_hash = m.evidence_hash THEN 'looked'
            WHEN look.id IS NOT NULL OR t.ended_as IS NOT NULL OR t.cancelled_at IS NOT NULL OR t.evidence_hash <> m.evidence_hash OR t.held_for IS DISTINCT FROM d.batch_id THEN 'void'
            ELSE 'open' END AS state,
       (look.verdict, look.answer) IS DISTINCT FROM (b.verdict, b.answer) AS differs, b.led_by = ANY (t.seen_by) AS held
  FROM batch_decisions b JOIN batch_draws d ON d.batch_id = b.id JOIN batch_members m ON m.batch_id = d.batch_id AND m.n = d.n
  JOIN tasks t ON t.id = m.task_id JOIN items i ON i.id = m.item_id LEFT JOIN evidence e ON e.item_id = t.item_id AND e.version = t.evidence_version
  LEFT JOIN LATERAL (
       SELECT k.* FROM decisions k WHERE k.item_id = m.item_id AND k.task_id = m.task_id AND k.person_id = b.led_by AND k.assignment_id IS NOT NULL) look ON true
 WHERE b.id = %(batch_id)s::bigint
 ORDER BY d.place;
