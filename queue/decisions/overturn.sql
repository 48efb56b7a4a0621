-- decisions: an outcome is superseded, once (`overturn()`). Where the project wants a second pair of eyes on it, it is proposed instead: `approval_id`.
SELECT decision_id, approval_id
  FROM overturn(%(decision_id)s::bigint, %(me)s::int, %(outcome)s::text, %(answer)s::jsonb, %(reason_code)s::text, %(note)s::text, NULL, NULL);
