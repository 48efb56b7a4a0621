-- decisions: outcomes of a batch decision → superseded by a re-opening, where none of their effects went out.
SELECT decision_id FROM undo_batch(%(batch_id)s::bigint, %(decision_ids)s::bigint[], %(me)s::int) AS undone (decision_id);
