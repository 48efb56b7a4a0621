-- tasks: held → as they were, the next of a batch decision that was dropped or undone.
WITH left_over AS MATERIALIZED (
    SELECT t.id FROM batch_members m JOIN tasks t ON t.id = m.task_id
     WHERE m.batch_id = %(batch_id)s::bigint AND t.held_for = m.batch_id AND t.ended_as IS NULL
     ORDER BY t.id LIMIT %(limit)s::int FOR NO KEY UPDATE OF t)
UPDATE tasks t SET held_for = NULL FROM left_over WHERE t.id = left_over.id;
