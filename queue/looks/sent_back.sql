-- tasks: what a lead wrote when they sent the item back, for who looks at it next.
SELECT e.detail ->> 'note' AS note
  FROM tasks t JOIN events e ON e.item_id = t.item_id AND e.task_id = t.parent_id AND e.kind = 'task.returned'
 WHERE t.id = %(task_id)s::bigint
 ORDER BY e.id DESC LIMIT 1;
