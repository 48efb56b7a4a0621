-- tasks: pending → full once every wanted look is taken; assignments: none → live. A lapsed lease is closed and its seat passes to the caller,
-- or, at the abandon limit, the task goes to escalation (`result` is 'escalated': ask again).
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),          -- a volatile function is no index condition, a sub-select's value is
me AS MATERIALIZED (
    SELECT id, role, meant_until FROM people WHERE id = %(me)s::int AND disabled_at IS NULL AND role IN ('reviewer', 'lead') FOR SHARE),   -- `people/disable` waits for a claim in flight
held AS MATERIALIZED (                                                 -- at most one, by assignments_one_live
    SELECT id, task_id, token, lease_no, lease_expires, lease_expires > (SELECT now FROM clock) AS live
      FROM assignments WHERE person_id = (SELECT id FROM me) AND ended_at IS NULL),
lane AS MATERIALIZED (                                                 -- where the caller may work: own skills, and for a lead every escalation
    SELECT l.id, l.novice FROM me CROSS JOIN LATERAL lanes_of(me.id, me.role) l
     WHERE l.skill_id = COALESCE(%(skill_id)s::int, l.skill_id) AND l.queue = COALESCE(%(queue)s::text, l.queue)),
own AS MATERIALIZED (                                                  -- 1. my own lapsed lease: my draft belongs to it
    SELECT t AS task, a.id AS lapsed_id, a.person_id AS lapsed_by,
           t.state IN ('pending', 'full') AND NOT t.paused AND t.lane_id IN (SELECT id FROM lane)
             AND t.item_id = COALESCE(%(item_id)s::bigint, t.item_id) AS may_hold
      FROM held JOIN assignments a ON a.id = held.id JOIN tasks t ON t.id = a.task_id
     WHERE NOT held.live AND a.ended_at IS NULL AND a.lease_expires <= (SELECT now FROM clock)
       FOR NO KEY UPDATE OF t, a SKIP LOCKED),
last AS MATERIALIZED (                                                 -- 2. for a lead, whatever the lane: a lapse that ends in escalation
    SELECT t AS task, a.id AS lapsed_id, a.person_id AS lapsed_by, false AS may_hold
      FROM assignments a JOIN tasks t ON t.id = a.task_id
     WHERE EXISTS (SELECT FROM me WHERE role = 'lead') AND NOT EXISTS (SELECT FROM held) AND %(item_id)s::bigint IS NULL
       AND a.last_until <= (SELECT now FROM clock) AND t.state IN ('pending', 'full')
       AND at_limit(t)
     ORDER BY a.last_until LIMIT 1
       FOR NO KEY UPDATE OF t, a SKIP LOCKED),
meant AS MATERIALIZED (                                                -- 3. what a lead keeps for me; no work for whom nothing is kept
    SELECT task, NULL::bigint, NULL::int, true FROM lock_meant(ARRAY(SELECT id FROM lane), %(me)s::int, (SELECT now FROM clock)) task
     WHERE (SELECT meant_until FROM me) > (SELECT now FROM clock) AND NOT EXISTS (SELECT FROM held) AND NOT EXISTS (SELECT FROM last) AND %(item_id)s::bigint IS NULL
       AND EXISTS (SELECT FROM tasks t WHERE t.id = (task).id)),
expired AS MATERIALIZED (                                              -- 4. somebody's lapsed lease in the lane where one waits longest
    SELECT t AS task, a.id AS lapsed_id, a.person_id AS lapsed_by, true AS may_hold
      FROM assignments a JOIN tasks t ON t.id = a.task_id
     WHERE NOT EXISTS (SELECT FROM held) AND NOT EXISTS (SELECT FROM last) AND %(item_id)s::bigint IS NULL
       AND a.lane_id = (SELECT lane.id FROM lane CROSS JOIN LATERAL (
                            SELECT a.live_until
                              FROM assignments a JOIN tasks t ON t.id = a.task_id
                             WHERE a.lane_id = lane.id AND a.live_until <= (SELECT now FROM clock)
                               AND t.state IN ('pending', 'full') AND NOT t.paused AND NOT %(me)s::int = ANY (t.closed_to)
                               AND t.lane_id IN (SELECT id FROM lane) AND open_to(t, lane.novice, (SELECT now FROM clock))   -- it may have been moved since
                             ORDER BY a.live_until LIMIT 1) head
                         ORDER BY head.live_until LIMIT 1)
       AND a.live_until <= (SELECT now FROM clock)
       AND t.state IN ('pending', 'full') AND NOT t.paused AND NOT %(me)s::int = ANY (t.closed_to)
       AND t.lane_id IN (SELECT id FROM lane) AND open_to(t, (SELECT novice FROM lane WHERE id = a.lane_id), (SELECT now FROM clock))
     ORDER BY a.live_until LIMIT 1
       FOR NO KEY UPDATE OF t, a SKIP LOCKED),
named AS MATERIALIZED (                                                 -- 5. the item that was asked for
    SELECT * FROM lock_named(ARRAY(SELECT id FROM tasks WHERE item_id = %(item_id)s::bigint AND ended_as IS NULL), ARRAY(SELECT id FROM lane), %(me)s::int, (SELECT now FROM clock)) n
     WHERE %(item_id)s::bigint IS NOT NULL AND NOT EXISTS (SELECT FROM held) AND open_to(n.task, (SELECT novice FROM lane WHERE id = (n.task).lane_id), (SELECT now FROM clock))),
head AS MATERIALIZED (                                                 -- 6. the lowest rank: first the lane whose head has waited longest, then the row
    SELECT lane.id AS lane_id, lane.novice, first.rank
      FROM lane CROSS JOIN LATERAL (
            SELECT t.rank, t.since FROM tasks t
             WHERE t.lane_id = lane.id AND t.state = 'pending' AND NOT %(me)s::int = ANY (t.closed_to) AND open_to(t, lane.novice, (SELECT now FROM clock))
             ORDER BY t.rank LIMIT 1) first
     WHERE NOT EXISTS (SELECT FROM held) AND NOT EXISTS (SELECT FROM last) AND NOT EXISTS (SELECT FROM expired) AND %(item_id)s::bigint IS NULL
     ORDER BY first.since LIMIT 1),
fresh AS MATERIALIZED (
    SELECT t AS task
      FROM tasks t
     WHERE t.lane_id = (SELECT lane_id FROM head) AND t.rank >= (SELECT rank FROM head)   -- what lies before it is closed to me
       AND t.state = 'pending' AND NOT %(me)s::int = ANY (t.closed_to)  -- judged again on the locked row
       AND open_to(t, (SELECT novice FROM head), (SELECT now FROM clock))
     ORDER BY t.rank LIMIT 1
       FOR NO KEY UPDATE OF t SKIP LOCKED),
skipped AS MATERIALIZED (                                               -- 7. what I passed over, when nothing else is left
    SELECT task, NULL::bigint, NULL::int, true FROM lock_skipped(ARRAY(SELECT id FROM lane), %(me)s::int) task
     WHERE NOT EXISTS (SELECT FROM held) AND NOT EXISTS (SELECT FROM last) AND NOT EXISTS (SELECT FROM expired) AND NOT EXISTS (SELECT FROM fresh)
       AND %(item_id)s::bigint IS NULL AND EXISTS (SELECT FROM tasks t WHERE t.id = (task).id)
       AND open_to(task, (SELECT novice FROM lane WHERE id = (task).lane_id), (SELECT now FROM clock))),   -- the function sees what came in since: `taken` would not
pick AS MATERIALIZED (                                                 -- of the locked row, not of the snapshot
    SELECT (task).id AS task_id, (task).item_id, (task).project_id, (task).queue_id, (task).lane_id, (task).kind, (task).evidence_version, (task).evidence_hash,
           (task).lease_count, (task).wanted, cardinality((task).votes) AS looks, (task).abandon_limit, lapsed_id, lapsed_by, may_hold,
           clock_timestamp() AS at,                                    -- read when the locks are held
           COALESCE(lapsed_id IS NOT NULL AND (task).state IN ('pending', 'full') AND at_limit(task), false) AS at_limit   -- and nobody else holds it
      FROM (SELECT * FROM own
            UNION ALL SELECT * FROM last
            UNION ALL SELECT * FROM meant
            UNION ALL SELECT * FROM expired
            UNION ALL SELECT * FROM named
            UNION ALL SELECT task, NULL, NULL, true FROM fresh
            UNION ALL SELECT * FROM skipped) c
     LIMIT 1),
closed AS (
    UPDATE assignments a SET ended_at = pick.at, end_reason = 'expired'
      FROM pick WHERE a.id = pick.lapsed_id RETURNING a.id),
opened AS (                                                            -- after closed: the caller has room for one live lease
    INSERT INTO assignments (task_id, item_id, person_id, lane_id, lease_no, evidence_version, evidence_hash, claimed_at, lease_seconds, idle_seconds,
                             hold_until, lease_expires, may_be_last)
    SELECT pick.task_id, pick.item_id, %(me)s::int, pick.lane_id, pick.lease_count + 1, pick.evidence_version, pick.evidence_hash, pick.at,
           COALESCE(q.lease_seconds, p.lease_seconds), p.idle_seconds,
           pick.at + make_interval(secs => greatest(p.max_hold_seconds, COALESCE(q.lease_seconds, 0))),
           pick.at + make_interval(secs => COALESCE(q.lease_seconds, p.lease_seconds)),
           COALESCE(pick.lease_count + pick.wanted - pick.looks >= pick.abandon_limit, false)
      FROM pick JOIN projects p ON p.id = pick.project_id JOIN queues q ON q.id = pick.queue_id
     WHERE pick.may_hold AND NOT pick.at_limit AND (pick.lapsed_id IS NULL OR EXISTS (SELECT FROM closed))
        ON CONFLICT (person_id) WHERE ended_at IS NULL DO NOTHING      -- my other tab was first: ask again and get what it got
    RETURNING id, token, lease_no, lease_expires),
hand AS MATERIALIZED (                                                 -- what changes hands: nothing, where both are missing
    SELECT pick.*, closed.id AS closed_id, opened.id AS opened_id, opened.token, opened.lease_no, opened.lease_expires
      FROM pick LEFT JOIN closed ON true LEFT JOIN opened ON true
     WHERE closed.id IS NOT NULL OR opened.id IS NOT NULL),
taken AS (
    UPDATE tasks t
       SET seen_by     = CASE WHEN opened_id IS NULL THEN array_remove(t.seen_by, lapsed_by) ELSE array_remove(t.seen_by, lapsed_by) || %(me)s::int END,
           skipped_by  = CASE WHEN opened_id IS NULL THEN t.skipped_by ELSE array_remove(t.skipped_by, %(me)s::int) END,
           lease_count = CASE WHEN opened_id IS NULL THEN t.lease_count ELSE t.lease_count + 1 END,
           meant_for   = CASE WHEN opened_id IS NULL THEN t.meant_for END,
           meant_until = CASE WHEN opened_id IS NULL THEN t.meant_until END,
           novice      = t.novice OR (opened_id IS NOT NULL AND t.wanted > 1 AND COALESCE((SELECT novice FROM lane WHERE id = t.lane_id), false)),
           ended_as    = CASE WHEN at_limit THEN 'abandoned' END,
           ended_at    = CASE WHEN at_limit THEN at END
      FROM hand WHERE t.id = hand.task_id AND t.ended_as IS NULL
    RETURNING t),
raised AS (
    SELECT raise_task(taken.t, 'escalation', 'escalation', (taken.t).priority + 10, 1, NULL, (taken.t).price_minor, (taken.t).seen_by || (taken.t).barred,
                      'abandoned', 0) AS task_id
      FROM taken WHERE (taken.t).ended_as = 'abandoned'),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, assignment_id)
    SELECT e.kind, e.person_id, hand.project_id, hand.item_id, hand.task_id, e.assignment_id
      FROM hand CROSS JOIN LATERAL (VALUES ('assignment.expired', lapsed_by, closed_id), ('assignment.claimed', %(me)s::int, opened_id)) e (kind, person_id, assignment_id)
     WHERE e.assignment_id IS NOT NULL)
SELECT CASE WHEN opened_id IS NOT NULL THEN 'claimed' WHEN EXISTS (SELECT FROM raised) THEN 'escalated' ELSE 'closed' END AS result, opened_id AS assignment_id,
       task_id, item_id, project_id, kind, token AS lease_token, lease_no, lease_expires, evidence_version, evidence_hash, false AS again
  FROM hand
UNION ALL
SELECT 'claimed', held.id, t.id, t.item_id, t.project_id, t.kind, held.token, held.lease_no, held.lease_expires, t.evidence_version, t.evidence_hash, true
  FROM held JOIN tasks t ON t.id = held.task_id
 WHERE held.live;
