-- drafts: the caller throws theirs away.
DELETE FROM drafts WHERE task_id = %(task_id)s::bigint AND person_id = %(me)s::int;
