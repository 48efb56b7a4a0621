-- batch_decisions: the one in whose sample this assignment's item is.
SELECT b.id FROM assignments a JOIN tasks t ON t.id = a.task_id JOIN batch_decisions b ON b.id = t.held_for
 WHERE a.id = %(assignment_id)s::bigint AND b.led_by = a.person_id AND b.state = 'sampling';
