-- tasks: the task that an overturn raised, to be given the item's newest evidence.
SELECT t.id AS task_id, t.item_id, t.evidence_version, i.evidence_version AS current_version
  FROM tasks t JOIN items i ON i.id = t.item_id
 WHERE t.parent_id = (SELECT task_id FROM decisions WHERE id = %(decision_id)s::bigint) AND t.kind = 'relabel';
