-- tasks: open → open, with the item's newest evidence.
UPDATE tasks SET evidence_version = %(version)s::int, shown_version = %(shown_version)s::int, evidence_hash = %(evidence_hash)s::bytea
 WHERE id = %(task_id)s::bigint AND ended_as IS NULL;
