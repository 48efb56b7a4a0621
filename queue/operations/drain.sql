-- drains: programs take nothing new ↔ take work again, on record; no row where it is so already.
WITH asked AS (
    INSERT INTO drains (draining, person_id, reason)
    SELECT %(draining)s::boolean, %(me)s::int, %(reason)s::text
     WHERE COALESCE((SELECT d.draining FROM drains d ORDER BY d.id DESC LIMIT 1), false) <> %(draining)s::boolean
    RETURNING draining, person_id, reason)
INSERT INTO events (kind, person_id, detail)
SELECT CASE WHEN draining THEN 'operations.drained' ELSE 'operations.resumed' END, person_id, jsonb_build_object('reason', reason) FROM asked;
