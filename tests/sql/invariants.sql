-- One statement, one snapshot: may run in mid-flight. Each row is a broken invariant with the number of offenders.
WITH live AS (SELECT * FROM assignments WHERE ended_at IS NULL),
settled AS (SELECT item_id, min(id) AS first FROM decisions WHERE outcome IS NOT NULL GROUP BY item_id),   -- what is opened again stands outside its partition's order
bad(invariant, n) AS (
    SELECT 'I1 live looks + votes > wanted', count(*) FROM (
        SELECT t.id FROM tasks t LEFT JOIN live a ON a.task_id = t.id GROUP BY t.id HAVING count(a.id) + cardinality(t.votes) > t.wanted) x
    UNION ALL SELECT 'I1 two live leases a person', count(*) FROM (SELECT person_id FROM live GROUP BY 1 HAVING count(*) > 1) x
    UNION ALL SELECT 'I1 more holders at once than wanted (history)', count(*) FROM assignments a JOIN tasks t ON t.id = a.task_id
        WHERE (SELECT count(*) FROM assignments b WHERE b.task_id = a.task_id AND b.claimed_at <= a.claimed_at
                AND (b.end_reason = 'submitted' OR b.end_reason IS NULL OR greatest(b.ended_at, CASE b.end_reason WHEN 'expired' THEN b.lease_expires END) > a.claimed_at)) > t.wanted
    UNION ALL SELECT 'I2 same task again after a submit', count(*) FROM assignments a JOIN assignments b
        ON b.task_id = a.task_id AND b.person_id = a.person_id AND b.lease_no > a.lease_no WHERE a.end_reason = 'submitted'
    UNION ALL SELECT 'I2 two live or submitted by one person', count(*) FROM (
        SELECT 1 FROM assignments WHERE end_reason IS NULL OR end_reason = 'submitted' GROUP BY task_id, person_id HAVING count(*) > 1) x
    UNION ALL SELECT 'I2 two answers by one person on one item', count(*) FROM (
        SELECT 1 FROM decisions WHERE assignment_id IS NOT NULL AND verdict IS DISTINCT FROM 'escalate' AND task_id NOT IN (SELECT decider_id FROM approvals WHERE decider_id IS NOT NULL) GROUP BY item_id, person_id HAVING count(*) > 1) x
    UNION ALL SELECT 'I2 duplicates in seen_by', count(*) FROM tasks WHERE cardinality(seen_by) <> (SELECT count(DISTINCT r) FROM unnest(seen_by) r)
    UNION ALL SELECT 'I3 decision without its lease', count(*) FROM decisions d JOIN assignments a ON a.id = d.assignment_id
        WHERE a.end_reason IS DISTINCT FROM 'submitted' OR a.person_id <> d.person_id OR a.task_id <> d.task_id OR d.created_at < a.claimed_at
    UNION ALL SELECT 'I3 decided after the seat was handed on', count(*) FROM decisions d JOIN assignments a ON a.id = d.assignment_id JOIN tasks t ON t.id = a.task_id
        WHERE t.wanted = 1 AND EXISTS (SELECT FROM assignments b WHERE b.task_id = a.task_id AND b.lease_no > a.lease_no AND b.claimed_at <= d.created_at)
    UNION ALL SELECT 'I3 decisions <> submitted assignments', abs((SELECT count(*) FROM decisions WHERE assignment_id IS NOT NULL) - (SELECT count(*) FROM assignments WHERE end_reason = 'submitted'))
    UNION ALL SELECT 'I3 two decisions a token', count(*) FROM (SELECT 1 FROM decisions WHERE assignment_id IS NOT NULL GROUP BY assignment_id HAVING count(*) > 1) x
    UNION ALL SELECT 'I5 an outcome without its outbox rows', count(*) FROM (
        SELECT d.id FROM decisions d JOIN effects e ON e.project_id = d.project_id AND CASE WHEN d.supersedes IS NULL THEN d.outcome ELSE 'overturn' END = ANY (e.on_outcomes)
          LEFT JOIN outbox o ON o.decision_id = d.id AND o.effect_id = e.id WHERE d.outcome IS NOT NULL AND o.id IS NULL) x
    UNION ALL SELECT 'I5 an effect of a look', count(*) FROM outbox o JOIN decisions d ON d.id = o.decision_id WHERE d.outcome IS NULL
    UNION ALL SELECT 'I5 an item settled twice', count(*) FROM (
        SELECT task_id FROM decisions WHERE outcome IS NOT NULL AND supersedes IS NULL GROUP BY task_id HAVING count(*) > 1) x
    UNION ALL SELECT 'I6 task of an item that is not durable', count(*) FROM tasks t JOIN items i ON i.id = t.item_id
        LEFT JOIN evidence e ON e.item_id = i.id AND e.version = t.evidence_version WHERE i.evidence_version = 0 OR e.published_at IS NULL
    UNION ALL SELECT 'I7 wanted 1: leased beyond its limit', count(*) FROM assignments a JOIN tasks t ON t.id = a.task_id WHERE t.wanted = 1 AND a.lease_no > t.abandon_limit
    UNION ALL SELECT 'I9 payout missing, doubled or of another amount', count(*) FROM assignments a JOIN tasks t ON t.id = a.task_id
        LEFT JOIN (SELECT assignment_id, count(*) AS n, sum(amount_minor) AS sum FROM payouts GROUP BY 1) p ON p.assignment_id = a.id
        WHERE (a.end_reason IS NOT DISTINCT FROM 'submitted') <> (p.n IS NOT NULL) OR p.n > 1 OR p.sum <> t.price_minor
    UNION ALL SELECT 'I10 claimed after its cancel', count(*) FROM assignments a JOIN tasks t ON t.id = a.task_id WHERE a.claimed_at > t.cancelled_at
    UNION ALL SELECT 'I11 two open items of a partition pending', count(*) FROM (
        SELECT 1 FROM tasks t WHERE partition_id IS NOT NULL AND item_id NOT IN (SELECT item_id FROM settled) AND state IN ('pending', 'full') GROUP BY partition_id HAVING count(*) > 1) x
    UNION ALL SELECT 'I11 a partition whose oldest open item is blocked', count(*) FROM (
        SELECT DISTINCT ON (partition_id) state FROM tasks WHERE partition_id IS NOT NULL AND item_id NOT IN (SELECT item_id FROM settled) AND state IN ('pending', 'full', 'paused', 'blocked')
         ORDER BY partition_id, partition_no) x WHERE state = 'blocked'
    UNION ALL SELECT 'I11 outcome out of order', count(*) FROM (
        SELECT t.partition_no, lag(t.partition_no) OVER (PARTITION BY t.partition_id ORDER BY o.effect_no) AS before
          FROM decisions d JOIN (SELECT decision_id, min(effect_no) AS effect_no FROM outbox GROUP BY 1) o ON o.decision_id = d.id JOIN tasks t ON t.id = d.task_id
         WHERE o.effect_no IS NOT NULL AND d.id IN (SELECT first FROM settled)) x WHERE partition_no <> before + 1
    UNION ALL SELECT 'I11 items out of their arrival', count(*) FROM (
        SELECT id, lag(id) OVER (PARTITION BY partition_id ORDER BY partition_no) AS before FROM items WHERE partition_id IS NOT NULL) x WHERE id < before
    UNION ALL SELECT 'I11 applied out of order', count(*) FROM (
        SELECT o.done_at, lag(o.done_at) OVER w AS before_at, o.effect_no, lag(o.effect_no) OVER w AS before
          FROM outbox o WHERE o.effect_no IS NOT NULL AND o.state = 'done' WINDOW w AS (PARTITION BY o.partition_id ORDER BY o.effect_no)) x
        WHERE effect_no <> before + 1 OR done_at <= before_at
    UNION ALL SELECT 'I16 a lead judged what they answered', count(*) FROM tasks t JOIN assignments a ON a.task_id = t.id JOIN assignments b ON b.task_id = t.parent_id
        WHERE t.kind IN ('escalation', 'adjudication') AND b.person_id = a.person_id AND b.end_reason = 'submitted'
    UNION ALL SELECT 'I16 an outcome that nobody else looked at', count(*) FROM decisions d JOIN projects p ON p.id = d.project_id
        WHERE p.four_eyes IS NOT NULL AND (d.outcome = 'approve' OR d.supersedes IS NOT NULL) AND d.approved_by IS NULL   -- what the rules of the race catch
    UNION ALL SELECT 'I16 approved by who proposed it', count(*) FROM decisions d JOIN proposals o ON o.id = d.approval_id WHERE d.approved_by IN (o.person_id, d.person_id)
    UNION ALL SELECT 'I16 approved by who had it in their hands', count(*) FROM decisions d JOIN approvals a ON a.id = d.approval_id
        WHERE a.decider_id IS NULL AND (EXISTS (SELECT FROM assignments b WHERE b.item_id = d.item_id AND b.person_id = d.approved_by AND b.task_id <> a.task_id AND b.claimed_at < d.created_at)
            OR EXISTS (SELECT FROM proposals b WHERE b.item_id = d.item_id AND b.person_id = d.approved_by AND b.id <= a.id))
    UNION ALL SELECT 'I16 approved without a look of that very evidence', count(*) FROM decisions d JOIN approvals a ON a.id = d.approval_id
        WHERE NOT EXISTS (SELECT FROM decisions l WHERE l.task_id = COALESCE(a.decider_id, a.task_id) AND l.person_id = d.approved_by AND l.assignment_id IS NOT NULL AND l.evidence_hash = d.evidence_hash)
    UNION ALL SELECT 'I16 an approval that does not stand where its tasks do', count(*) FROM approvals a JOIN tasks t ON t.id = COALESCE(a.decider_id, a.task_id)
        WHERE (a.open_item IS NULL) <> (t.ended_as IS NOT NULL AND t.ended_as NOT IN ('abandoned', 'returned')) OR a.state = 'approved'
    UNION ALL SELECT 'I18 an end that does not follow from the votes', count(*) FROM tasks WHERE id NOT IN (SELECT task_id FROM decisions WHERE person_id = 0 AND reason_code = 'auto_zero_variance')
       AND kind <> 'approval' AND CASE ended_as WHEN 'proposed' THEN 'decided' ELSE ended_as END IS DISTINCT FROM CASE
        WHEN ended_as IN ('abandoned', 'returned') THEN ended_as WHEN cardinality(votes) < wanted THEN NULL
        WHEN 'escalate' = ANY (votes) THEN 'escalated' WHEN votes <@ votes[1:1] THEN 'decided' ELSE 'disputed' END
    UNION ALL SELECT 'events: a claim, end or move without its row', count(*) FROM assignments a
        WHERE NOT EXISTS (SELECT FROM events e WHERE e.assignment_id = a.id AND e.kind = 'assignment.claimed' AND e.item_id = a.item_id)
           OR a.end_reason IN ('submitted', 'expired', 'skipped') AND NOT EXISTS (SELECT FROM events e WHERE e.assignment_id = a.id AND e.kind = 'assignment.' || a.end_reason AND e.item_id = a.item_id))
SELECT invariant, n FROM bad WHERE n > 0;
