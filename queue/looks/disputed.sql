-- decisions: the looks that a held adjudication is about, or what was proposed and what the second look said, for its holder alone: no names, in an order that
-- each assignment draws for itself.
WITH held AS (
    SELECT a.token, t.item_id, t.parent_id, t.kind, t.id AS task_id
      FROM assignments a JOIN tasks t ON t.id = a.task_id AND t.kind IN ('adjudication', 'approval')
     WHERE a.id = %(assignment_id)s::bigint AND a.person_id = %(me)s::int AND a.ended_at IS NULL),
said AS (
    SELECT held.token, d.id, d.project_id, d.verdict, d.answer, d.reason_code, d.note, extract(epoch FROM d.created_at - taken.claimed_at)::float8 AS seconds
      FROM held JOIN decisions d ON d.item_id = held.item_id AND d.task_id = held.parent_id AND d.assignment_id IS NOT NULL
      JOIN assignments taken ON taken.id = d.assignment_id
     WHERE held.kind = 'adjudication' OR EXISTS (SELECT FROM approvals p WHERE p.decider_id = held.task_id)
     UNION ALL
    SELECT held.token, -o.id, o.project_id, CASE WHEN o.outcome <> 'answer' THEN o.outcome END, o.answer, o.reason_code, o.note, COALESCE(
               (SELECT extract(epoch FROM d.created_at - taken.claimed_at) FROM decisions d JOIN assignments taken ON taken.id = d.assignment_id
                 WHERE d.item_id = o.item_id AND d.task_id = o.task_id AND d.person_id = o.person_id LIMIT 1), 0)::float8
      FROM held JOIN approvals p ON p.decider_id = held.task_id JOIN proposals o ON o.id = p.id)
SELECT said.verdict, said.answer, said.reason_code, r.label AS reason, said.note, said.seconds
  FROM said JOIN reason_codes r ON r.project_id = said.project_id AND r.code = said.reason_code
 ORDER BY md5(said.token::text || said.id::text);
