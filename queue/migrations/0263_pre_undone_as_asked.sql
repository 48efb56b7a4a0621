-- What is undone was asked for by whom it says: workers carry undos out, and can't make one up nor choose whose it is.

CREATE TABLE batch_undo_asks (                            -- a single outcome of a batch decision, to be taken back
    batch_id    bigint NOT NULL REFERENCES batch_decisions,
    decision_id bigint NOT NULL REFERENCES decisions,
    asked_by    int NOT NULL REFERENCES people,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT batch_undo_asks_once PRIMARY KEY (decision_id, asked_by));
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON batch_undo_asks FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON batch_undo_asks FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT, INSERT ON batch_undo_asks TO claimcheck_web;
GRANT SELECT ON batch_undo_asks TO claimcheck_worker;

-- All of it: by the lead whom its row names, which only the web writes.
UPDATE batch_decisions SET undone_by = led_by WHERE state IN ('undoing', 'undone') AND undone_by IS NULL;
ALTER TABLE batch_decisions ADD CONSTRAINT batch_decisions_undone_by CHECK (state NOT IN ('undoing', 'undone') OR undone_by IS NOT NULL);
REVOKE UPDATE (undone_by) ON batch_decisions FROM claimcheck_worker;

-- Those of these outcomes that somebody asked to have undone, all together or singly.
CREATE FUNCTION asked_undone(of_batch bigint, of_decisions bigint[], by_person int) RETURNS bigint[] LANGUAGE sql AS $$
    SELECT ARRAY(SELECT d FROM unnest(of_decisions) d
                  WHERE EXISTS (SELECT FROM batch_decisions b WHERE b.id = of_batch AND b.state = 'undoing' AND b.undone_by = by_person)
                     OR EXISTS (SELECT FROM batch_undo_asks a WHERE a.decision_id = d AND a.asked_by = by_person AND a.batch_id = of_batch)) $$;

-- Undoes outcomes of a batch, where it was asked for, whose effects never went out: superseded by a re-opening that has no effects either, once. Overturns of them that wait are void.
CREATE OR REPLACE FUNCTION undo_batch(of_batch bigint, of_decisions bigint[], by_person int) RETURNS SETOF bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
WITH target AS MATERIALIZED (
    SELECT d.*, p.version FROM keep_effects(of_batch, asked_undone(of_batch, of_decisions, by_person)) k (id) JOIN decisions d ON d.id = k.id JOIN projects p ON p.id = d.project_id),
cleared AS MATERIALIZED (SELECT count(void_overturn(item_id, by_person)) AS n FROM (SELECT item_id FROM target ORDER BY item_id OFFSET 0) t),
undone AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, evidence_version, shown_version, evidence_hash, reason_code, note)
    SELECT item_id, task_id, project_id, version, by_person, 'overturn', 'reopen', id, evidence_version, shown_version, evidence_hash, 'desk.undone', ''
      FROM target WHERE (SELECT n FROM cleared) >= 0 ORDER BY id
    RETURNING *),
reopened AS (
    SELECT o.id, raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                            ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'undone', by_person) AS task_id
      FROM undone o JOIN tasks t ON t.id = o.task_id JOIN items i ON i.id = o.item_id JOIN projects p ON p.id = o.project_id),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'decision.overturned', by_person, o.project_id, o.item_id, o.task_id, o.id,
           jsonb_build_object('supersedes', o.supersedes, 'reopened', reopened.task_id, 'batch_decision', of_batch)
      FROM undone o JOIN reopened ON reopened.id = o.id)
SELECT id FROM undone $$;
