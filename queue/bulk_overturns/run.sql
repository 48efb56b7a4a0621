-- decisions: the next outcomes of an approved list → superseded, at most `limit`, each once.
SELECT decision_id FROM run_bulk_overturn(%(bulk_id)s::bigint, %(limit)s::int) AS made (decision_id);
