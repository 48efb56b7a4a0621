-- payouts: a line is corrected by one that takes from it, once, with a reason; nothing is changed or deleted.
WITH line AS MATERIALIZED (
    SELECT * FROM payouts WHERE id = %(payout_id)s::bigint AND reverses IS NULL AND %(amount_minor)s::bigint BETWEEN 1 AND amount_minor),
reversed AS (
    INSERT INTO payouts (assignment_id, project_id, person_id, amount_minor, currency, reverses, why)
    SELECT assignment_id, project_id, person_id, -%(amount_minor)s::bigint, currency, id, %(why)s::text FROM line
        ON CONFLICT (reverses) WHERE reverses IS NOT NULL DO NOTHING
    RETURNING id, person_id),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'payout.reversed', %(me)s::int, jsonb_build_object('payout', %(payout_id)s::bigint, 'by', id, 'person', person_id, 'amount_minor', %(amount_minor)s::bigint, 'why', %(why)s::text) FROM reversed)
SELECT (SELECT id FROM reversed) AS id FROM payouts WHERE id = %(payout_id)s::bigint;
