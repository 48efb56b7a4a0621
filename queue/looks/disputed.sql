-- decisions: the looks that a held adjudication is about, for its holder alone: no names, in an order that each assignment draws for itself.
SELECT d.verdict, d.answer, d.reason_code, r.label AS reason, d.note, extract(epoch FROM d.created_at - taken.claimed_at)::float8 AS seconds
  FROM assignments a JOIN tasks t ON t.id = a.task_id AND t.kind = 'adjudication'
  JOIN decisions d ON d.item_id = t.item_id AND d.task_id = t.parent_id AND d.assignment_id IS NOT NULL
  JOIN assignments taken ON taken.id = d.assignment_id
  JOIN reason_codes r ON r.project_id = d.project_id AND r.code = d.reason_code
 WHERE a.id = %(assignment_id)s::bigint AND a.person_id = %(me)s::int AND a.ended_at IS NULL
 ORDER BY md5(a.token::text || d.id::text);
