-- approvals: where an item's stand, oldest first, and how each came there; the content is told by approvals/load.
SELECT a.id, a.state, a.version, a.asked_at, a.moved_at, a.decision_id,
       (SELECT second.pseudonym FROM decisions d JOIN people second ON second.id = d.approved_by WHERE d.id = a.decision_id) AS approved_by
  FROM approvals a WHERE a.item_id = %(item_id)s::bigint ORDER BY a.id;
