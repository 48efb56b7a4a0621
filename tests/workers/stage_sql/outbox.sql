SELECT * FROM outbox WHERE decision_id = %(decision)s AND (%(effect)s::int IS NULL OR effect_id = %(effect)s::int)
