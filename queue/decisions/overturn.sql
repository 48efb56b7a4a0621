-- decisions: an outcome is superseded, once; its effect follows through the outbox like any other. Re-opening raises a task for other eyes.
-- Where the project wants a second pair of eyes on it, it is proposed instead: `approval_id`.
WITH target AS MATERIALIZED (
    SELECT d.*, p.version, t.partition_id, t AS task,
           CASE WHEN p.four_eyes IS NOT NULL THEN eyes_rule(p.id, d.item_id, d.task_id, %(outcome)s::text, true, %(reason_code)s::text) END AS rule
      FROM decisions d JOIN projects p ON p.id = d.project_id JOIN tasks t ON t.id = d.task_id
     WHERE d.id = %(decision_id)s::bigint AND d.outcome IS NOT NULL AND d.outcome <> 'reopen'
       AND EXISTS (SELECT FROM people WHERE id = %(me)s::int AND role = 'lead' AND disabled_at IS NULL)),
overturned AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, supersedes, evidence_version, shown_version, evidence_hash,
                           reason_code, note)
    SELECT item_id, task_id, project_id, version, %(me)s::int, 'overturn', %(answer)s::jsonb, %(outcome)s::text, id, evidence_version, shown_version, evidence_hash,
           %(reason_code)s::text, %(note)s::text
      FROM target WHERE rule IS NULL
    RETURNING *),
proposed AS (
    SELECT propose(task, version, %(me)s::int, 'overturn', %(answer)s::jsonb, %(outcome)s::text, id, %(reason_code)s::text, %(note)s::text, rule) AS approval_id
      FROM target WHERE rule IS NOT NULL),
wanted_effects AS MATERIALIZED (
    SELECT o.id AS decision_id, e.id AS effect_id, row_number() OVER (ORDER BY e.kind, e.id)::int AS nth, count(*) OVER ()::int AS of
      FROM overturned o JOIN effects e ON e.project_id = o.project_id
     WHERE 'overturn' = ANY (e.on_outcomes)),
moved AS (
    UPDATE partitions p SET effect_no = p.effect_no + COALESCE((SELECT max(of) FROM wanted_effects), 0)
      FROM target, overturned WHERE p.id = target.partition_id
    RETURNING p.id, old.effect_no AS before),
reopened AS (                                                          -- earlier eyes are barred; it stands outside its partition's order
    SELECT raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                      ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'reopened', %(me)s::int) AS task_id
      FROM overturned o JOIN tasks t ON t.id = o.task_id JOIN items i ON i.id = o.item_id JOIN projects p ON p.id = o.project_id
     WHERE o.outcome = 'reopen' AND (SELECT count(*) FROM moved) >= 0),     -- the partition's lock before the clock's, as in publishing
queued AS (
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no)
    SELECT e.decision_id, e.effect_id, moved.id, moved.before + e.nth FROM wanted_effects e LEFT JOIN moved ON true),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'decision.overturned', %(me)s::int, o.project_id, o.item_id, o.task_id, o.id,
           jsonb_strip_nulls(jsonb_build_object('supersedes', o.supersedes, 'reopened', (SELECT task_id FROM reopened)))
      FROM overturned o)
SELECT id AS decision_id, NULL::bigint AS approval_id FROM overturned UNION ALL SELECT NULL, approval_id FROM proposed;
