-- dead_letter_replays: what came of the same bytes of a letter before.
SELECT dead_letter_id, result, message_id, item_id, again_id, code, detail
  FROM dead_letter_replays
 WHERE dead_letter_id = %(dead_letter_id)s::bigint AND COALESCE(sha256(body), ''::bytea) = COALESCE(sha256(%(body)b::bytea), ''::bytea);
