-- deliveries: the last calls of an effect, newest first, and what became of the row each was made for.
SELECT v.id, v.at, v.outbox_id, v.webhook_id, v.attempt, v.status, v.error, v.excerpt, v.seconds, o.decision_id, told.kind AS notice, o.state
  FROM deliveries v LEFT JOIN outbox o ON o.id = v.outbox_id LEFT JOIN notices told ON told.id = o.notice_id
 WHERE v.effect_id = %(effect_id)s::int
 ORDER BY v.id DESC LIMIT 50;
