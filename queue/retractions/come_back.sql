-- retraction_waits: due → seen to: the item is opened again, or proposed to be, now that the approval has ended for which it was passed over.
WITH next AS MATERIALIZED (
    SELECT w.retraction_id, w.item_id, w.approval_id FROM retraction_waits w WHERE w.due ORDER BY w.retraction_id, w.item_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED),
taken AS (
    UPDATE retraction_waits w SET due = false FROM next
     WHERE (w.retraction_id, w.item_id, w.approval_id) = (next.retraction_id, next.item_id, next.approval_id))
SELECT reopen_retracted(retraction_id, item_id) AS decision_id FROM next;
