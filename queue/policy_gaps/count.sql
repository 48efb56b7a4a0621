-- policy_gaps: of the items that were decided last or are with the leads, how many with each of their features went wrong in which way. No payload is read.
-- A facet's feature is its pointer; only its commonest values are looked at.
WITH named AS MATERIALIZED (SELECT p.id AS project_id, f.pointer FROM projects p CROSS JOIN LATERAL facets_named(p.id) f (pointer) WHERE p.cancelled_at IS NULL),
lately AS MATERIALIZED (
    SELECT d.item_id FROM (SELECT item_id FROM decisions ORDER BY id DESC LIMIT %(latest)s::int) d
     UNION
    SELECT t.item_id FROM (SELECT item_id FROM tasks WHERE led_in IS NOT NULL LIMIT %(latest)s::int) t),
item AS MATERIALIZED (
    SELECT i.id, i.project_id, i.queue, i.batch_id, i.message_id, i.evidence_version, w.abandoned, w.escalated, w.disagreed, o.overturned,
           w.abandoned OR w.escalated OR w.disagreed OR o.overturned AS gap
      FROM lately l JOIN items i ON i.id = l.item_id AND NOT i.gold
      JOIN projects p ON p.id = i.project_id AND p.cancelled_at IS NULL
     CROSS JOIN LATERAL (
            SELECT COALESCE(bool_or(t.ended_as = 'abandoned'), false) AS abandoned, COALESCE(bool_or(t.ended_as = 'escalated'), false) AS escalated,
                   COALESCE(bool_or(t.ended_as = 'disputed'), false) AS disagreed
              FROM tasks t WHERE t.item_id = i.id AND t.kind <> 'gold') w
     CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM decisions d WHERE d.item_id = i.id AND d.supersedes IS NOT NULL) AS overturned) o),
featured AS (
    SELECT item.*, f.feature, f.value
      FROM item LEFT JOIN messages m ON m.id = item.message_id
     CROSS JOIN LATERAL (
            VALUES ('', ''), ('queue', item.queue), ('match decision', m.match_decision), ('currency', m.currency), ('counterparty', m.ledger_entity),
                   ('variance', CASE WHEN m.variance_amount = 0 THEN '0' ELSE 'under ' || (10 ^ length(trunc(abs(m.variance_amount))::text))::numeric::bigint::text END),
                   ('batch', CASE WHEN m.id IS NULL THEN item.batch_id::text END)
             UNION ALL
            SELECT 'reason', r.code FROM (
                SELECT DISTINCT d.reason_code AS code FROM decisions d WHERE d.item_id = item.id AND d.assignment_id IS NOT NULL) r
             UNION ALL
            SELECT e.key, e.value FROM item_facets k CROSS JOIN LATERAL jsonb_each_text(k.facets) e
             WHERE k.item_id = item.id AND k.version = item.evidence_version AND (item.project_id, e.key) IN (SELECT project_id, pointer FROM named)) f (feature, value)
     WHERE f.value IS NOT NULL),
grouped AS (
    SELECT project_id, feature, value, count(*)::int AS items, count(*) FILTER (WHERE gap)::int AS gaps, count(*) FILTER (WHERE abandoned)::int AS abandoned,
           count(*) FILTER (WHERE escalated)::int AS escalated, count(*) FILTER (WHERE disagreed)::int AS disagreed,
           count(*) FILTER (WHERE overturned)::int AS overturned, (array_agg(id ORDER BY id DESC) FILTER (WHERE gap))[:5] AS examples,
           row_number() OVER (PARTITION BY project_id, feature ORDER BY count(*) DESC, value) AS nth
      FROM featured GROUP BY project_id, feature, value)
SELECT project_id, feature, value, items, gaps, abandoned, escalated, disagreed, overturned, examples, compared FROM (
    SELECT *, (count(*) FILTER (WHERE feature <> '' AND items >= %(least)s::int) OVER (PARTITION BY project_id))::int AS compared
      FROM grouped WHERE nth <= %(values)s::int OR NOT starts_with(feature, '/')) g
 WHERE feature = '' OR gaps >= %(least)s::int;
