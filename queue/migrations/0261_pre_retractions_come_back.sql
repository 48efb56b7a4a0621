-- A retraction comes back to an item that it passed over for an open approval, when that has ended.

CREATE TABLE retraction_waits (
    retraction_id bigint NOT NULL,
    item_id       bigint NOT NULL,
    approval_id   bigint NOT NULL REFERENCES approvals,
    own           boolean NOT NULL,                       -- it is the retraction's own: what it resolves to holds, but where it is voided it is asked for again
    due           boolean NOT NULL,
    CONSTRAINT retraction_waits_once PRIMARY KEY (retraction_id, item_id, approval_id),
    FOREIGN KEY (retraction_id, item_id) REFERENCES tombstones (retraction_id, item_id));
CREATE INDEX retraction_waits_approval ON retraction_waits (approval_id);
CREATE INDEX retraction_waits_due ON retraction_waits (retraction_id, item_id) WHERE due;
CREATE TRIGGER no_delete BEFORE DELETE ON retraction_waits FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON retraction_waits FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON retraction_waits TO claimcheck_worker;
GRANT UPDATE (due) ON retraction_waits TO claimcheck_worker;

CREATE FUNCTION retraction_due() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE retraction_waits SET due = true WHERE approval_id = NEW.id AND (NOT own OR NEW.state = 'voided');
    RETURN NULL;
END $$;
CREATE TRIGGER retraction_due AFTER UPDATE OF state ON approvals FOR EACH ROW WHEN (NEW.overturns AND NEW.state IN ('resolved', 'voided')) EXECUTE FUNCTION retraction_due();

-- A retraction's reopening is an overturn like others. Null too where it waits for a second pair of eyes, its own or those on somebody else's overturn.
CREATE OR REPLACE FUNCTION reopen_retracted(of_retraction bigint, of_item bigint) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
WITH target AS MATERIALIZED (
    SELECT d.*, p.version, t.partition_id, r.requested_by, r.reason, t AS task,
           CASE WHEN p.four_eyes IS NOT NULL THEN eyes_rule(p.id, d.item_id, d.task_id, 'reopen', true, 'desk.retracted') END AS rule
      FROM tombstones s JOIN retractions r ON r.id = s.retraction_id JOIN decisions d ON d.id = s.decision_id
      JOIN projects p ON p.id = d.project_id JOIN tasks t ON t.id = d.task_id
     WHERE s.retraction_id = of_retraction AND s.item_id = of_item AND s.status = 'pending' AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = d.id)),
blocked AS MATERIALIZED (                                              -- somebody's overturn waits; where it has ended by now it is due at once
    SELECT a.id, p.reason_code = 'desk.retracted' AND p.supersedes = target.id AS own
      FROM target JOIN approvals a ON a.open_item = target.item_id JOIN proposals p ON p.id = a.id),
still AS MATERIALIZED (SELECT a.id FROM approvals a WHERE a.id IN (SELECT id FROM blocked) AND a.open_item IS NOT NULL FOR SHARE),
overturned AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, evidence_version, shown_version, evidence_hash, reason_code, note)
    SELECT item_id, task_id, project_id, version, requested_by, 'overturn', 'reopen', id, evidence_version, shown_version, evidence_hash, 'desk.retracted', reason
      FROM target WHERE rule IS NULL AND NOT EXISTS (SELECT FROM blocked)
    RETURNING *),
proposed AS (
    SELECT propose(task, version, requested_by, 'overturn', NULL, 'reopen', id, 'desk.retracted', reason, rule) AS approval_id
      FROM target WHERE rule IS NOT NULL AND NOT EXISTS (SELECT FROM blocked)),
waiting AS (
    INSERT INTO retraction_waits (retraction_id, item_id, approval_id, own, due)
    SELECT of_retraction, of_item, approval_id, true, false FROM proposed
    UNION ALL SELECT of_retraction, of_item, id, own, NOT own AND NOT EXISTS (SELECT FROM still) FROM blocked
        ON CONFLICT DO NOTHING),
wanted_effects AS MATERIALIZED (
    SELECT o.id AS decision_id, e.id AS effect_id, row_number() OVER (ORDER BY e.kind, e.id)::int AS nth, count(*) OVER ()::int AS of
      FROM overturned o JOIN effects e ON e.project_id = o.project_id
     WHERE 'overturn' = ANY (e.on_outcomes)),
moved AS (
    UPDATE partitions p SET effect_no = p.effect_no + COALESCE((SELECT max(of) FROM wanted_effects), 0)
      FROM target, overturned WHERE p.id = target.partition_id
    RETURNING p.id, old.effect_no AS before),
reopened AS (                                                          -- earlier eyes are barred
    SELECT raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                      ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'retracted', o.person_id) AS task_id
      FROM overturned o JOIN tasks t ON t.id = o.task_id JOIN items i ON i.id = o.item_id JOIN projects p ON p.id = o.project_id
     WHERE (SELECT count(*) FROM moved) >= 0),
queued AS (
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no)
    SELECT e.decision_id, e.effect_id, moved.id, moved.before + e.nth FROM wanted_effects e LEFT JOIN moved ON true),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'decision.overturned', o.person_id, o.project_id, o.item_id, o.task_id, o.id,
           jsonb_build_object('supersedes', o.supersedes, 'reopened', (SELECT task_id FROM reopened), 'retraction', of_retraction)
      FROM overturned o)
SELECT id FROM overturned UNION ALL SELECT NULL FROM proposed $$;

-- Those that were passed over before this: what waits yet, and what ended otherwise than by an answer to the retraction's own.
INSERT INTO retraction_waits (retraction_id, item_id, approval_id, own, due)
SELECT DISTINCT ON (t.retraction_id, t.item_id) t.retraction_id, t.item_id, a.id, p.reason_code = 'desk.retracted', a.open_item IS NULL
  FROM tombstones t JOIN approvals a ON a.item_id = t.item_id AND a.overturns JOIN proposals p ON p.id = a.id
 WHERE t.status = 'pending' AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = t.decision_id)
   AND NOT EXISTS (SELECT FROM approvals o JOIN proposals q ON q.id = o.id WHERE o.item_id = t.item_id AND o.state = 'resolved' AND q.supersedes = t.decision_id AND q.reason_code = 'desk.retracted')
 ORDER BY t.retraction_id, t.item_id, a.id DESC;
