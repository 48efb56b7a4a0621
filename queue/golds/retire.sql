-- golds: live → retired, by hand. A copy that is out comes to its end by itself.
WITH retired AS (
    UPDATE golds SET retired_at = clock_timestamp(), retired_why = 'by hand' WHERE id = %(gold_id)s::bigint AND retired_at IS NULL RETURNING id, project_id, item_id),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, detail)
    SELECT 'gold.retired', %(me)s::int, project_id, item_id, jsonb_build_object('gold', id) FROM retired)
SELECT id FROM retired;
