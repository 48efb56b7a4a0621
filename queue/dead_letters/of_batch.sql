-- dead_letters: a batch's refused rows.
SELECT id AS dead_letter_id, idempotency_key, code, field, detail
  FROM dead_letters WHERE batch_id = %(batch_id)s::bigint AND id > %(after)s::bigint ORDER BY id LIMIT %(limit)s::int;
