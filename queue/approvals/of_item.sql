-- approvals: where an item's stand, oldest first, and how each came there; the content is told by approvals/load. Of a voided one, what changed:
-- a person voids one by undoing a batch decision only; without newer evidence it was what the project asks or shows.
SELECT a.id, a.state, a.version, a.asked_at, a.moved_at, a.decision_id,
       (SELECT second.pseudonym FROM decisions d JOIN people second ON second.id = d.approved_by WHERE d.id = a.decision_id) AS approved_by,
       CASE WHEN a.state <> 'voided' THEN NULL WHEN a.moved_by <> 0 THEN 'undone'
            WHEN EXISTS (SELECT FROM evidence e JOIN tasks t ON t.id = COALESCE(a.decider_id, a.task_id)
                          WHERE e.item_id = a.item_id AND e.version > t.evidence_version AND e.created_at <= a.moved_at) THEN 'evidence'
            ELSE 'rules' END AS voided_by
  FROM approvals a WHERE a.item_id = %(item_id)s::bigint ORDER BY a.id;
