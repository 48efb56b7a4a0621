-- tasks: a page of open ones that are not in their queue's lane, or not at the priority in force: they were on their way when the others were ranked.
SELECT t.id FROM tasks t JOIN queues q ON q.id = t.queue_id JOIN items i ON i.id = t.item_id
 WHERE t.open_in = %(project_id)s::int
   AND (t.lane_id <> q.lane_id OR t.priority <> item_priority(i) + CASE WHEN t.kind IN ('escalation', 'adjudication', 'approval') THEN 10 ELSE 0 END)
 ORDER BY t.id LIMIT 500;
