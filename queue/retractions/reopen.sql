-- decisions: the outcome behind a pending tombstone is superseded and its item opened again, once; null where something newer stands.
SELECT reopen_retracted(%(retraction_id)s::bigint, %(item_id)s::bigint) AS decision_id;
