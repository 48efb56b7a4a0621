-- late_looks: those of an item, once no task of it waits for looks any more.
SELECT l.assignment_id, l.task_id, l.person_id, p.name AS person, l.verdict, l.answer, l.reason_code, l.note, l.at
  FROM late_looks l JOIN people p ON p.id = l.person_id
 WHERE l.item_id = %(item_id)s::bigint AND NOT EXISTS (SELECT FROM tasks t WHERE t.item_id = l.item_id AND t.ended_as IS NULL AND t.cancelled_at IS NULL)
 ORDER BY l.at;
