-- drafts: what the caller had typed for this task.
SELECT body, saved_at FROM drafts WHERE task_id = %(task_id)s::bigint AND person_id = %(me)s::int;
