-- late_looks: the opinion of somebody whose lease was lost, kept and bound to nothing. The first of an assignment stays.
INSERT INTO late_looks (assignment_id, task_id, item_id, person_id, verdict, answer, reason_code, note)
SELECT a.id, a.task_id, a.item_id, a.person_id, %(verdict)s::text, %(answer)s::jsonb, %(reason_code)s::text, %(note)s::text
  FROM assignments a
 WHERE a.id = %(assignment_id)s::bigint AND a.person_id = %(me)s::int AND a.token = %(lease_token)s::uuid AND a.end_reason = 'expired'
    ON CONFLICT (assignment_id) DO NOTHING;
