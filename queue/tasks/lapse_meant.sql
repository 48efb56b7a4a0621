-- tasks: kept for somebody whose time is over → pending; at most 500. Called now and then, and by a claim that found nothing else.
WITH over AS MATERIALIZED (
    SELECT t.id FROM tasks t WHERE t.meant_until <= (SELECT clock_timestamp()) ORDER BY t.meant_until LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED),
freed AS (
    UPDATE tasks t SET meant_for = NULL, meant_until = NULL FROM over WHERE t.id = over.id RETURNING t.id, t.item_id, t.project_id, old.meant_for)
INSERT INTO events (kind, person_id, project_id, item_id, task_id, detail)
SELECT 'item.unassigned', 0, project_id, item_id, id, jsonb_build_object('to', meant_for) FROM freed;
